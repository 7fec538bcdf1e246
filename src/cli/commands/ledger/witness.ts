import { existsSync } from 'node:fs';
import { fault, openSigningKey, verifyingKey } from '../../../kernel/index.ts';
import {
  type StoreReader,
  type Verification,
  verifyLedger,
  type WitnessStatement,
} from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { signedAnchors } from '../../../runtime/compose/signed-history.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import {
  addToFile,
  addToGit,
  readWitness,
  takeTimeStamp,
  type WitnessRecord,
} from '../../../runtime/witness/index.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { printVerification } from './verify.ts';

/** Gives the last checkpoint to somebody outside, after comparing the ledger with theirs. */
export const run: RunCommand = async (invocation) => {
  const { output } = invocation;
  const witnesses = readOptions(invocation);
  const reader = await openLedgerReader(invocation.place);
  try {
    const verification = await verifyAgainst(witnesses, reader, invocation);
    if (verification.problem) {
      output.value({ witnessed: null, ...verification });
      printVerification(verification, 0, output);
      output.line('    nothing was witnessed');
      return exitCodes.bad;
    }
    const record = await makeRecord(await lastCheckpoint(reader, invocation), witnesses);
    if (witnesses.file !== undefined) await addToFile(witnesses.file, record);
    if (witnesses.git !== undefined) await addToGit(witnesses.git, record);
    const { seq, hash } = record.statement;
    output.value({ witnessed: { seq, hash, ...witnesses } });
    const places = Object.values(witnesses).join(', ');
    output.line(`${output.tone('good', 'witnessed')}  entry ${seq}, hash ${hash}`);
    output.line(`    by           ${places}`);
    return exitCodes.ok;
  } finally {
    await reader.close();
  }
};

interface Witnesses {
  readonly file?: string;
  readonly git?: string;
  readonly tsa?: string;
  readonly ca?: string;
}

function readOptions({ options: { file, git, tsa, ca } }: Invocation): Witnesses {
  const help = 'surety ledger witness --help';
  if (file === undefined && git === undefined) {
    throw fault('USAGE', { reason: 'name a witness: --file <path> or --git <repository>', help });
  }
  if (tsa !== undefined && (file === undefined || ca === undefined)) {
    const reason =
      '--tsa needs --ca <certificates of the service>, and --file <path> for its answer';
    throw fault('USAGE', { reason, help });
  }
  const given = Object.entries({ file, git, tsa, ca }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

async function verifyAgainst(
  { file, git, ca }: Witnesses,
  reader: StoreReader,
  { place, output }: Invocation,
): Promise<Verification> {
  const trustedKeys = [verifyingKey(openSigningKey(place.keyFile).publicPem)];
  const { workspace } = reader;
  const check = { workspace, trustedKeys, ...(ca === undefined ? {} : { certificates: ca }) };
  const anchors = signedAnchors(place, loadConfig(place));
  for (const where of [file, git]) {
    if (where === undefined || !existsSync(where)) continue;
    anchors.push(...(await readWitness(where, check)));
  }
  const onProgress = (entries: number): void => output.progress(`verifying … ${entries} entries`);
  return verifyLedger(reader, { trustedKeys, anchors, onProgress });
}

async function lastCheckpoint(
  reader: StoreReader,
  { place }: Invocation,
): Promise<WitnessStatement> {
  const { id } = openSigningKey(place.keyFile);
  const own = (await reader.checkpoints()).findLast(({ keyId }) => keyId === id);
  if (own) return { workspace: reader.workspace, ...own };
  throw fault('NOT_FOUND', { what: 'a checkpoint of this directory; the daemon signs them' });
}

async function makeRecord(
  statement: WitnessStatement,
  { tsa, ca }: Witnesses,
): Promise<WitnessRecord> {
  if (tsa === undefined || ca === undefined) return { statement };
  return { statement, timeStamp: await takeTimeStamp(tsa, ca, statement) };
}
