/**
 * Settings come from environment variables; a wrong one ends the service at once, with its name.
 */

export function portFrom(name: string, fallback: number): number {
  const text = process.env[name] ?? String(fallback);
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`${name} is not a port: "${text}".`);
  return port;
}

export function urlFrom(name: string, fallback: string): string {
  const text = process.env[name] ?? fallback;
  if (!URL.canParse(text)) throw new Error(`${name} is not a URL: "${text}".`);
  return text;
}
