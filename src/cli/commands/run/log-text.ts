import { visible } from '../../format/visible.ts';

/** What every line of a logger has besides, and what stands before it here anyway. */
const usual = new Set(['time', 'timestamp', 'ts', 'level', 'severity', 'lvl', 'service', 'name']);
const words = ['message', 'msg', 'event', 'text'];

/** A line as people read it: of one in JSON first its words, then the rest. */
export function logText(text: string): string {
  const fields = parse(text);
  const key = words.find((word) => typeof fields?.[word] === 'string');
  if (fields === undefined || key === undefined) return visible(text);
  const rest = Object.entries(fields)
    .filter(([name]) => name !== key && !usual.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return visible([fields[key], ...rest].join('  '));
}

function parse(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const fields: unknown = JSON.parse(text);
    return typeof fields === 'object' && fields !== null
      ? (fields as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
