import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fault } from '../../kernel/index.ts';
import { formatStatement, parseStatement } from '../../ledger/index.ts';
import type { WitnessRecord } from './witness-record.ts';

const notes = ['notes', '--ref=surety-ledger'];
const identity = ['-c', 'user.name=Surety', '-c', 'user.email=surety@localhost'];
const answerBytesMax = 64 * 1024 * 1024;

/** Notes on commits. Pushed (refs/notes/surety-ledger), others keep them. */
export async function addToGit(repository: string, { statement }: WitnessRecord): Promise<void> {
  await git(repository, [
    ...identity,
    ...notes,
    'append',
    '-m',
    formatStatement(statement),
    'HEAD',
  ]);
}

export async function readFromGit(repository: string): Promise<WitnessRecord[]> {
  const list = await git(repository, [...notes, 'list']);
  const blobs = list.split('\n').flatMap((line) => line.split(' ')[0] || []);
  const records: WitnessRecord[] = [];
  for (const blob of blobs) {
    const text = await git(repository, ['cat-file', 'blob', blob]);
    for (const line of text.split('\n')) {
      const statement = parseStatement(line);
      if (statement) records.push({ statement });
    }
  }
  return records;
}

async function git(repository: string, words: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', repository, ...words], {
      maxBuffer: answerBytesMax,
    });
    return stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const reason = (stderr || message).trim().split('\n')[0] ?? '';
    throw fault('WITNESS_UNUSABLE', { where: repository, reason }, error);
  }
}
