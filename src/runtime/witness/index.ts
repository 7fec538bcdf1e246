import { statSync } from 'node:fs';
import { fault, type VerifyingKey } from '../../kernel/index.ts';
import { type Anchor, isSignedBy, statementAnchor } from '../../ledger/index.ts';
import { readFromGit } from './git-notes.ts';
import { checkTimeStamp } from './time-stamp.ts';
import { readFromFile } from './witness-file.ts';
import type { WitnessRecord } from './witness-record.ts';

export { addToGit } from './git-notes.ts';
export { takeTimeStamp } from './time-stamp.ts';
export { addToFile } from './witness-file.ts';
export type { WitnessRecord } from './witness-record.ts';

export interface WitnessCheck {
  readonly workspace: string;
  readonly trustedKeys: readonly VerifyingKey[];
  /** A file with the certificates of the time-stamp service. */
  readonly certificates?: string;
}

/** What a witness knows of a ledger, as anchors for a verification. A directory is a repository. */
export async function readWitness(where: string, check: WitnessCheck): Promise<Anchor[]> {
  const isDirectory = statSync(where, { throwIfNoEntry: false })?.isDirectory() === true;
  const records = await (isDirectory ? readFromGit(where) : readFromFile(where));
  const own = records.filter(({ statement }) => statement.workspace === check.workspace);
  for (const record of own) await checkRecord(where, record, check);
  return own.map(({ statement }) => statementAnchor(statement, `the witness ${where}`));
}

/** A statement that a trusted key did not sign is no statement of ours. */
async function checkRecord(
  where: string,
  { statement, timeStamp }: WitnessRecord,
  { trustedKeys, workspace, certificates }: WitnessCheck,
): Promise<void> {
  const key = trustedKeys.find(({ id }) => id === statement.keyId);
  if (key && !isSignedBy(key, workspace, statement)) {
    const reason = `its statement about entry ${statement.seq} has no valid signature`;
    throw fault('WITNESS_UNUSABLE', { where, reason });
  }
  if (timeStamp && certificates !== undefined) {
    await checkTimeStamp(timeStamp, certificates, statement);
  }
}
