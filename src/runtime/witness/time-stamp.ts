import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fault, sha256 } from '../../kernel/index.ts';
import { formatStatement, type WitnessStatement } from '../../ledger/index.ts';
import type { TimeStamp } from './witness-record.ts';

const answerMsMax = 30_000;

/** Asks a time-stamp service (RFC 3161) to sign when the statement existed; checks its answer. */
export function takeTimeStamp(
  url: string,
  certificates: string,
  statement: WitnessStatement,
): Promise<TimeStamp> {
  return inDirectory(async (directory) => {
    const query = join(directory, 'query');
    await openssl(url, [
      '-query',
      '-digest',
      digestOf(statement),
      '-sha256',
      '-cert',
      '-out',
      query,
    ]);
    const reply = await send(url, await readFile(query));
    // Against the query, and not only the digest: that also compares its nonce.
    await checkReply(url, directory, reply, certificates, ['-queryfile', query]);
    return { url, reply: reply.toString('base64') };
  });
}

/** The time at which the service signed; throws if it did not sign this statement. */
export function checkTimeStamp(
  { url, reply }: TimeStamp,
  certificates: string,
  statement: WitnessStatement,
): Promise<string> {
  const about = ['-digest', digestOf(statement)];
  return inDirectory((directory) =>
    checkReply(url, directory, Buffer.from(reply, 'base64'), certificates, about),
  );
}

function digestOf(statement: WitnessStatement): string {
  return sha256(formatStatement(statement));
}

async function send(url: string, query: Buffer): Promise<Buffer> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query' },
      body: new Uint8Array(query),
      signal: AbortSignal.timeout(answerMsMax),
    });
    if (!answer.ok) throw new Error(`it answers with status ${answer.status}`);
    return Buffer.from(await answer.arrayBuffer());
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
    throw fault('WITNESS_UNUSABLE', { where: url, reason }, error);
  }
}

async function checkReply(
  url: string,
  directory: string,
  reply: Buffer,
  certificates: string,
  about: readonly string[],
): Promise<string> {
  const file = join(directory, 'reply');
  await writeFile(file, reply);
  await openssl(url, ['-verify', ...about, '-in', file, '-CAfile', certificates]);
  const text = await openssl(url, ['-reply', '-in', file, '-text']);
  return /^Time stamp: (.*)$/m.exec(text)?.[1] ?? '';
}

async function inDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'surety-time-stamp-'));
  return work(directory).finally(() => rm(directory, { recursive: true }));
}

async function openssl(where: string, words: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)('openssl', ['ts', ...words])).stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const lines = (stderr || message).trim().split('\n');
    const reason = `openssl says: ${lines.at(-1) ?? ''}`;
    throw fault('WITNESS_UNUSABLE', { where, reason }, error);
  }
}
