import { hookLimits } from '../limits.ts';

/**
 * The alternatives of a brace expansion such as `{a,b}` or `{1..3}`; undefined if it has too many
 * or its parts contain expansions of their own.
 */
export function expandBraces(text: string): readonly string[] | undefined {
  if (/[$`'"\\]/.test(text)) return undefined;
  const found = expand(text);
  return found && found.length <= hookLimits.alternativesMax ? found : undefined;
}

function expand(text: string): string[] | undefined {
  const start = text.indexOf('{');
  if (start < 0) return [text];
  const end = closing(text, start);
  if (end < 0) return undefined;
  const inner = text.slice(start + 1, end);
  const choices = sequence(inner) ?? splitTop(inner).flatMap((part) => expand(part) ?? [part]);
  const rest = expand(text.slice(end + 1));
  if (!rest || choices.length * rest.length > hookLimits.alternativesMax) return undefined;
  const head = text.slice(0, start);
  return choices.flatMap((choice) => rest.map((tail) => head + choice + tail));
}

function closing(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}') depth--;
    else if (at === text.length || (text[at] === ',' && depth === 0)) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}

function sequence(text: string): string[] | undefined {
  const found = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(text);
  if (!found) return undefined;
  const [, first = '', last = '', by] = found;
  const isNumber = /^-?\d+$/.test(first);
  if (isNumber !== /^-?\d+$/.test(last)) return undefined;
  const codeOf = (end: string): number => (isNumber ? Number(end) : end.charCodeAt(0));
  const [from, to] = [codeOf(first), codeOf(last)];
  const step = Math.abs(Number(by ?? 1)) || 1;
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > hookLimits.alternativesMax) return Array(hookLimits.alternativesMax + 1).fill('');
  const signed = to < from ? -step : step;
  return Array.from({ length: count }, (_, index) => {
    const value = from + index * signed;
    return isNumber ? String(value) : String.fromCharCode(value);
  });
}
