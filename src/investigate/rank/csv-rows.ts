import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A longer row is taken to have a quote too many. */
const rowCharsMax = 1_000_000;

/** The rows of a CSV file (RFC 4180): fields may be quoted, and quoted ones contain line ends. */
export async function* csvRows(file: string): AsyncGenerator<readonly string[]> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: 1_000 });
  let open = '';
  for await (const line of lines) {
    const text = open === '' ? line : `${open}\n${line}`;
    // An odd number of quotes: the last field goes on in the next line.
    const isOpen =
      text.length < rowCharsMax && text.includes('"') && text.split('"').length % 2 === 0;
    open = isOpen ? text : '';
    if (!isOpen && text !== '') yield fieldsOf(text);
  }
  if (open !== '') yield fieldsOf(open);
}

const quotedField = /(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g;

function fieldsOf(text: string): string[] {
  if (!text.includes('"')) return text.split(',');
  return [...text.matchAll(quotedField)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  );
}
