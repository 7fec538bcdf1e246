/** Whether a text matches a pattern in which `*` stands for any characters. Takes linear time. */
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
 * Whether `general` matches everything that `specific` does. A `*` in `specific` is then a
 * character that only a `*` matches.
 */
export function coversPattern(general: string, specific: string): boolean {
  return matchesPattern(general, specific);
}

/** One matcher for many patterns, which looks up names without `*`. */
export function matcherOf(patterns: readonly string[]): (text: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const wide = patterns.filter((pattern) => pattern.includes('*'));
  return (text) => names.has(text) || wide.some((pattern) => matchesPattern(pattern, text));
}

/**
 * The patterns that both lists allow. Two patterns of which neither covers the other (`a*` and
 * `*b`) have no common pattern, so they allow nothing and are returned as lost.
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
