import { existsSync, readFileSync } from 'node:fs';
import {
  canonicalJson,
  fault,
  isJsonObject,
  type Json,
  type JsonObject,
  openSigningKey,
  sha256,
  type VerifyingKey,
  verifyingKey,
} from '../../../kernel/index.ts';
import {
  type EvidenceBundle,
  exportEvidence,
  parseEvidence,
  verifyEvidence,
} from '../../../ledger/index.ts';
import { openLedgerReader } from '../../../runtime/compose/ledger-reader.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';

/** Captures, certificate and ledger entries of a probe, up to a signed checkpoint. */
export async function exportBundle(invocation: Invocation, probe: string): Promise<void> {
  const reader = await openLedgerReader(invocation.place);
  try {
    const bundle = await exportEvidence(
      reader,
      (kind, body) => kind.startsWith('probe-') && body.probe === probe,
    );
    await invocation.output.raw(`${JSON.stringify(bundle)}\n`);
  } finally {
    await reader.close();
  }
}

/** Needs no daemon and no ledger: the file and the public key of whoever made it. */
export const verifyBundle: RunCommand = async (invocation) => {
  const { output, words } = invocation;
  const [file = ''] = words;
  if (!existsSync(file)) throw fault('NOT_FOUND', { what: `file ${file}` });
  const bundle = parseEvidence(readFileSync(file, 'utf8'));
  const problem = verifyEvidence(bundle, readKey(invocation)) ?? captureProblem(bundle);
  const { seq, at } = bundle.checkpoint;
  const entries = bundle.entries.length;
  output.value({ ok: problem === null, problem, entries, checkpoint: { seq, at } });
  if (problem !== null) {
    output.line(`${output.tone('bad', 'bad')}  the file proves nothing: ${problem}`);
    return exitCodes.bad;
  }
  const signed = `signed at entry ${seq}, ${new Date(at).toISOString()}`;
  output.line(`${output.tone('good', 'ok')}  ${entries} entries, ${signed}`);
  return exitCodes.ok;
};

function readKey({ place, options: { key } }: Invocation): VerifyingKey {
  if (typeof key === 'string' && existsSync(key)) return verifyingKey(readFileSync(key, 'utf8'));
  if (key === undefined && existsSync(place.keyFile)) {
    return verifyingKey(openSigningKey(place.keyFile).publicPem);
  }
  throw fault('USAGE', {
    reason: 'name the public key of whoever made the file: --key <file>',
    help: 'surety probe verify-bundle --help',
  });
}

/** Whether certificate and captures are those whose hashes the entries name. */
export function captureProblem({ entries, contents }: EvidenceBundle): string | null {
  const end = contents.find(({ name }) => name === 'probe')?.value;
  const ended = entries.find(({ body }) => typeof body.certificate === 'string');
  if (!end || !ended) return 'the end of the probe is missing';
  const { captures = [], ended: how } = JSON.parse(end) as JsonObject;
  const certificate = isJsonObject(how) ? (how.certificate ?? null) : null;
  if (hashOf(certificate) !== ended.body.certificate) return 'its certificate is another one';
  return batchProblem(captures as readonly Json[], entries);
}

/** The last captures are kept. From the newest batch on, each that is kept whole is compared. */
function batchProblem(
  captures: readonly Json[],
  entries: EvidenceBundle['entries'],
): string | null {
  let end = captures.length;
  const batches = entries.filter(({ body }) => typeof body.captures === 'number');
  for (const { seq, body } of batches.toReversed()) {
    const begin = end - Number(body.captures);
    if (begin < 0) return null;
    if (hashOf(captures.slice(begin, end)) !== body.hash) {
      return `the captures are not those of entry ${seq}`;
    }
    end = begin;
  }
  return end === 0 ? null : `${end} captures are in no entry`;
}

function hashOf(value: Json): string {
  return sha256(canonicalJson(value));
}
