import type { Observation } from '../../api-schema.ts';

/** A value as delve prints it: numbers, booleans and strings as such, everything else as text. */
export function readGoValue(text: string, type?: string): Observation {
  const failure = /^\{eval err: (?:&\{%!e\(string=(.*)\)\}|(.*))\}$/.exec(text);
  if (failure) return { error: failure[1] ?? failure[2] ?? text };
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(text) && Number.isFinite(Number(text))) {
    const isExact = !/^-?\d+$/.test(text) || Number.isSafeInteger(Number(text));
    return { type: type ?? 'number', value: isExact ? Number(text) : text };
  }
  if (text === 'true' || text === 'false') return { type: type ?? 'bool', value: text === 'true' };
  const quoted = /^"([\s\S]*)"(?:\.\.\.\+(\d+) more)?$/.exec(text);
  if (quoted) return { type: type ?? 'string', value: quoted[1] ?? '' };
  return { type: type ?? 'text', value: text };
}
