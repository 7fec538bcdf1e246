/** What a terminal shows at least. */
export const terminalColumns = 80;

/** Lines of at most so many characters; a word that is longer stays whole. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** A name and its meaning beside it; a name that is too long has its meaning below. */
export function formatEntry(name: string, meaning: string, column: number): string {
  const lines = wrapText(meaning, terminalColumns - column);
  const indent = ' '.repeat(column);
  const isShort = name.length + 2 <= column;
  const first = isShort
    ? `${name.padEnd(column)}${lines[0] ?? ''}`
    : `${name}\n${indent}${lines[0] ?? ''}`;
  return [first, ...lines.slice(1).map((line) => `${indent}${line}`)].join('\n');
}

/** A command that is longer than a line goes on in the next one, as a shell allows. */
export function formatExample(line: string): string {
  const lines = wrapText(line, terminalColumns - 6);
  return lines.map((part, at) => `${at === 0 ? '  ' : '      '}${part}`).join(' \\\n');
}
