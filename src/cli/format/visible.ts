/** Control characters except tabs, and characters that change the direction of a line. */
const hidden = /[[\p{Cc}--\t]\u202a-\u202e\u2066-\u2069]/gv;

/**
 * Text of others in a form that a terminal may show: nothing in it moves the cursor or is hidden.
 */
export function visible(text: string): string {
  return text.replace(hidden, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

/** The same for a text of several lines. */
export function visibleLines(text: string): string {
  return text.replace(/[^\n]+/g, visible);
}
