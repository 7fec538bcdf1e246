import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { fault } from '../../kernel/index.ts';
import { formatStatement, parseStatement } from '../../ledger/index.ts';
import type { TimeStamp, WitnessRecord } from './witness-record.ts';

/** Adds a line to a file, best where the writers of the database can't reach it. */
export async function addToFile(path: string, record: WitnessRecord): Promise<void> {
  try {
    const file = await open(path, 'a', 0o600);
    await file.appendFile(`${formatRecord(record)}\n`);
    await file.sync().finally(() => file.close());
  } catch (error) {
    throw fault('WITNESS_UNUSABLE', { where: path, reason: (error as Error).message }, error);
  }
}

export async function readFromFile(path: string): Promise<WitnessRecord[]> {
  if (!existsSync(path)) return [];
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line, index) => {
    const record = parseRecord(line);
    if (record) return record;
    const reason = `line ${index + 1} is no statement about a ledger`;
    throw fault('WITNESS_UNUSABLE', { where: path, reason });
  });
}

function formatRecord({ statement, timeStamp }: WitnessRecord): string {
  const text = formatStatement(statement);
  return timeStamp ? `${text.slice(0, -1)},"timeStamp":${JSON.stringify(timeStamp)}}` : text;
}

function parseRecord(line: string): WitnessRecord | null {
  const statement = parseStatement(line);
  if (!statement) return null;
  const { timeStamp } = JSON.parse(line) as { timeStamp?: TimeStamp };
  return timeStamp ? { statement, timeStamp } : { statement };
}
