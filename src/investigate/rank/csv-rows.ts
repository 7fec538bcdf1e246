import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A longer row is taken to have a quote too many. */
const rowCharsMax = 1_000_000;

/** The rows of a CSV file (RFC 4180): fields may be quoted, and quoted ones contain line ends. */
export async function* csvRows(file: string): AsyncGenerator<readonly string[]> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: 1_000 });
  let row: string[] = [];
  let chars = 0;
  let isOpen = false;
  for await (const line of lines) {
    row.push(line);
    chars += line.length + 1;
    // An odd number of quotes: the last field goes on in the next line.
    if (line.split('"').length % 2 === 0) isOpen = !isOpen;
    if (isOpen && chars < rowCharsMax) continue;
    const text = row.join('\n');
    [row, chars, isOpen] = [[], 0, false];
    if (text !== '') yield fieldsOf(text);
  }
  if (row.length > 0) yield fieldsOf(row.join('\n'));
}

const quotedField = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g;

function fieldsOf(text: string): string[] {
  if (!text.includes('"')) return text.split(',');
  return [...text.matchAll(quotedField)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  );
}
