/** Headers by which an answer is guarded, or is open to others. */
const guards: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'content-security-policy',
  'set-cookie',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
]);

const valueCharactersMax = 1_000;

/**
 * The security headers among raw header lines, by lower-case name, without the values of cookies.
 */
export function guardLines(raw: readonly string[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = (raw[index] as string).toLowerCase();
    if (!guards.has(name)) continue;
    const value = (raw[index + 1] as string).slice(0, valueCharactersMax);
    found[name] ??= [];
    found[name].push(name === 'set-cookie' ? withoutContent(value) : value);
  }
  return found;
}

function withoutContent(cookie: string): string {
  return cookie.replace(/^([^=;]*)=[^;]*/, '$1=');
}
