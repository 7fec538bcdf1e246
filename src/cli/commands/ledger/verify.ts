import { existsSync, readFileSync } from 'node:fs';
import { fault, openSigningKey, type VerifyingKey, verifyingKey } from '../../../kernel/index.ts';
import {
  type Anchor,
  openExport,
  type Verifiable,
  type Verification,
  verifyLedger,
} from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { signedAnchors } from '../../../runtime/compose/signed-history.ts';
import { loadConfig } from '../../../runtime/load-config.ts';
import type { WorkspacePlace } from '../../../runtime/place.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import type { Output } from '../../format/output.ts';
import { keepYoungGenerationSmall } from './young-generation.ts';

export const run: RunCommand = async (invocation) => {
  keepYoungGenerationSmall();
  const { place, output, options } = invocation;
  const trustedKeys = readKeys(place, options);
  const expected = readAnchor('--expect', options.expect);
  // Before the ledger is opened: a running daemon may sign another head meanwhile.
  const own = ownAnchors(invocation);
  const source = await openSource(invocation);
  const anchors = [
    ...expected,
    ...own,
    ...(await witnessAnchors(source.workspace, trustedKeys, invocation)),
  ];
  const started = performance.now();
  const verification = await verifyLedger(source, {
    trustedKeys,
    anchors,
    onProgress: (entries) => output.progress(`verifying … ${entries} entries`),
  });
  if ('close' in source) await (source as { close(): Promise<void> }).close();
  const seconds = (performance.now() - started) / 1_000;
  output.value({ ok: verification.problem === null, ...verification });
  printVerification(verification, seconds, output);
  return verification.problem === null ? exitCodes.ok : exitCodes.bad;
};

async function openSource({ place, options }: Invocation): Promise<Verifiable> {
  return typeof options.file === 'string' ? openExport(options.file) : openLedgerReader(place);
}

/**
 * The directory's own key is trusted for its own ledger; for a file, the user must name a trusted
 * key.
 */
function readKeys(place: WorkspacePlace, { file, key }: Invocation['options']): VerifyingKey[] {
  if (typeof key === 'string') {
    if (!existsSync(key)) throw usage(`there is no key file ${key}`);
    return [verifyingKey(readFileSync(key, 'utf8'))];
  }
  if (file !== undefined) throw usage('--file needs --key <public key of whoever exported it>');
  return existsSync(place.keyFile) ? [verifyingKey(openSigningKey(place.keyFile).publicPem)] : [];
}

/** What this directory remembers about its own ledger; it knows nothing about an export. */
function ownAnchors({ place, options }: Invocation): Anchor[] {
  return options.file === undefined ? signedAnchors(place, loadConfig(place)) : [];
}

async function witnessAnchors(
  workspace: string,
  trustedKeys: readonly VerifyingKey[],
  { options: { witness, ca } }: Invocation,
): Promise<Anchor[]> {
  if (typeof witness !== 'string') return [];
  if (!existsSync(witness)) throw usage(`there is no file or repository ${witness}`);
  const { readWitness } = await import('../../../runtime/witness/index.ts');
  const certificates = typeof ca === 'string' ? { certificates: ca } : {};
  return readWitness(witness, { workspace, trustedKeys, ...certificates });
}

export function readAnchor(option: string, given: Invocation['options'][string]): Anchor[] {
  if (given === undefined) return [];
  const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/.exec(String(given)) ?? [];
  if (seq === undefined || hash === undefined) {
    throw usage(`${option} takes <entry>:<hash>, the hash as 64 hexadecimal characters`);
  }
  return [{ seq: Number(seq), hash, source: 'the anchor' }];
}

function usage(reason: string): Error {
  return fault('USAGE', { reason, help: 'surety ledger verify --help' });
}

export function printVerification(
  verification: Verification,
  seconds: number,
  output: Output,
): void {
  const { problem, entries, head, checkpointsTrusted, checkpointsAnnounced } = verification;
  const { unsigned, acknowledged } = verification;
  if (problem) {
    output.line(
      `${output.tone('bad', 'bad')}  entry ${problem.seq} was ${problem.kind}: ${problem.detail}`,
    );
    output.line(`    the ${entries} entries before it are sound`.replace('the 0', 'no'));
    return;
  }
  output.line(
    `${output.tone('good', 'ok')}  ${entries} entries, unbroken, in ${seconds.toFixed(2)} s`,
  );
  output.line(`    head         ${head.seq}:${head.hash}`);
  const announced =
    checkpointsAnnounced > 0 ? `, ${checkpointsAnnounced} by keys that only the chain names` : '';
  output.line(`    checkpoints  ${checkpointsTrusted} signed by a trusted key${announced}`);
  output.line(
    `    unsigned     ${unsigned} ${unsigned === 1 ? 'entry' : 'entries'} after the last checkpoint`,
  );
  for (const seq of acknowledged) {
    output.line(
      `    ${output.tone('warn', 'lost')}         entry ${seq} acknowledges lost history`,
    );
  }
}
