import { mcpLimits } from './limits.ts';

/** A value on one line. */
export function shortText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  if (text.length <= mcpLimits.mcpValueCharsMax) return text;
  return `${text.slice(0, mcpLimits.mcpValueCharsMax)}… (${text.length} characters)`;
}

/** The value itself if it is small; otherwise the beginning of its text. */
export function shortValue<Value>(value: Value): Value | string {
  return (JSON.stringify(value) ?? '').length <= mcpLimits.mcpValueCharsMax
    ? value
    : shortText(value);
}

/** The same with each member short. */
export function shortMembers(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortValue(member)]),
  );
}

/**
 * The small members, and the beginning of long texts. Other members are left out, so that the rest
 * has the type that the tool declares.
 */
export function fittingMembers(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const short = shortValue(member);
      return short === member || typeof member === 'string' ? [[name, short]] : [];
    }),
  );
}
