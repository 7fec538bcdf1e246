/** Whether a text matches a pattern in which `*` stands for any characters. Linear, no regex. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [head = '', ...parts] = pattern.split('*');
  if (parts.length === 0) return pattern === text;
  const tail = parts.pop() as string;
  if (!text.startsWith(head) || !text.endsWith(tail)) return false;
  let at = head.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - tail.length;
}

/**
 * Whether everything that `specific` matches is matched by `general` as well: a `*` is then just a
 * character that only another `*` stands for.
 */
export function coversPattern(general: string, specific: string): boolean {
  return matchesPattern(general, specific);
}

/** One function for many patterns: names without `*` are found at once. */
export function matcherOf(patterns: readonly string[]): (text: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const wide = patterns.filter((pattern) => pattern.includes('*'));
  return (text) => names.has(text) || wide.some((pattern) => matchesPattern(pattern, text));
}

/**
 * What both lists allow. Two patterns of which neither covers the other (`a*` and `*b`) have no
 * pattern in common that could be written down: they give nothing, and are named.
 */
export function narrow(
  wide: readonly string[],
  narrower: readonly string[],
): { readonly patterns: readonly string[]; readonly lost: readonly string[] } {
  const patterns = new Set<string>();
  const lost: string[] = [];
  for (const own of narrower) {
    const inside = wide.filter((pattern) => coversPattern(own, pattern));
    if (wide.some((pattern) => coversPattern(pattern, own))) patterns.add(own);
    else if (inside.length > 0) for (const pattern of inside) patterns.add(pattern);
    else lost.push(own);
  }
  return { patterns: [...patterns], lost };
}
