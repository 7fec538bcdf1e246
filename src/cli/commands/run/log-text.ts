import { visible } from '../../format/visible.ts';

/** Fields that every line of a logger has, and that are already shown in front of it. */
const usual = new Set(['time', 'timestamp', 'ts', 'level', 'severity', 'lvl', 'service', 'name']);
const words = ['message', 'msg', 'event', 'text'];

/** A line for people: of JSON, the message first, then the other fields. */
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
