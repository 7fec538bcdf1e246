import { once } from 'node:events';
import { createWriteStream, writeFileSync } from 'node:fs';
import { openSigningKey } from '../../../kernel/index.ts';
import { exportLedger } from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import type { RunCommand } from '../../command.ts';

export const run: RunCommand = async ({ place, output, options }) => {
  const reader = await openLedgerReader(place);
  try {
    if (typeof options.file !== 'string') {
      for await (const line of exportLedger(reader)) await output.raw(`${JSON.stringify(line)}\n`);
      return;
    }
    const entries = await writeExport(exportLedger(reader), options.file, output.progress);
    const keyFile = `${options.file.replace(/\.jsonl$/, '')}.pub.pem`;
    writeFileSync(keyFile, openSigningKey(place.keyFile).publicPem);
    output.value({ file: options.file, keyFile, entries });
    output.line(`${output.tone('good', 'exported')}  ${entries} entries to ${options.file}`);
    output.line(
      `    verify anywhere: surety ledger verify --file ${options.file} --key ${keyFile}`,
    );
    return;
  } finally {
    await reader.close();
  }
};

async function writeExport(
  lines: ReturnType<typeof exportLedger>,
  file: string,
  progress: (text: string) => void,
): Promise<number> {
  const stream = createWriteStream(file, { mode: 0o600 });
  await once(stream, 'open');
  let entries = 0;
  for await (const line of lines) {
    if ('entry' in line && ++entries % 1_000 === 0) progress(`exporting … ${entries} entries`);
    if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'finish');
  return entries;
}
