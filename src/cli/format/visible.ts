/** Control characters and those that turn the direction of a line. */
const hidden = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** What an agent wrote, as a terminal may show it: nothing in it moves the cursor or hides. */
export function visible(text: string): string {
  return text.replace(hidden, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

/** The same of a text of several lines, with the tabs in them. */
export function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, visible);
}
