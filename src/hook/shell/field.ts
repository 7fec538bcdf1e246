/**
 * One word after expansion, as far as it is known before the command runs. `exact`: the text
 * itself. `pattern`: `*` stands for characters without a slash and never for `..`, and `**` for
 * any path below. `unknown`: anything.
 */
export interface ExpandedWord {
  readonly kind: 'exact' | 'pattern' | 'unknown';
  readonly text: string;
}

export const exact = (text: string): ExpandedWord => ({ kind: 'exact', text });
export const pattern = (text: string): ExpandedWord => ({ kind: 'pattern', text });
export const unknown = (text = ''): ExpandedWord => ({ kind: 'unknown', text });

/** A word such as a number, a date or a commit: not known, but neither a path nor an option. */
export const token: ExpandedWord = pattern('*');

export function joinFields(fields: readonly ExpandedWord[], between = ''): ExpandedWord {
  const text = fields.map((field) => field.text).join(between);
  if (fields.some(({ kind }) => kind === 'unknown')) return unknown(text);
  return fields.some(({ kind }) => kind === 'pattern') ? pattern(text) : exact(text);
}

export function isSame(one: ExpandedWord | undefined, other: ExpandedWord | undefined): boolean {
  return one?.kind === other?.kind && one?.text === other?.text;
}
