import {
  canonicalJson,
  fault,
  isJsonObject,
  type Json,
  type JsonObject,
  sha256,
  type VerifyingKey,
} from '../../kernel/index.ts';
import type { Head } from '../api-schema.ts';
import { type Checkpoint, isCheckpoint, isSignedBy } from '../checkpoint.ts';
import { contentDigest, type StoredContent } from '../content.ts';
import type { StoredEntry } from '../entry.ts';
import type { StoreReader } from '../store.ts';
import {
  checkConsistency,
  type ProofLine,
  parseProofLine,
  proveConsistency,
} from './consistency-proof.ts';

/** Some entries with what they say, and the headers that lead from them to a signed checkpoint. */
export interface EvidenceBundle {
  readonly format: 1;
  readonly workspace: string;
  readonly entries: readonly EvidenceEntry[];
  readonly contents: readonly StoredContent[];
  /** The entry before the first one. */
  readonly from: Pick<Head, 'seq' | 'hash'>;
  readonly proof: readonly ProofLine[];
  readonly checkpoint: Checkpoint;
}

export type EvidenceEntry = Pick<StoredEntry, 'seq' | 'salt'> & { readonly body: JsonObject };

/** Proves what these entries say to somebody who has the public key and nothing else. */
export async function exportEvidence(
  source: StoreReader,
  isMeant: (kind: string, body: JsonObject) => boolean,
): Promise<EvidenceBundle> {
  const meant = await findEntries(source, isMeant);
  const [first, last] = [meant[0], meant.at(-1)];
  if (!first || !last) throw fault('NOT_FOUND', { what: 'entry of it in the ledger' });
  const checkpoint = (await source.checkpoints()).find(({ seq }) => seq >= last.seq);
  if (!checkpoint) throw fault('EVIDENCE_UNSIGNED', { seq: last.seq });
  const from = { seq: first.seq - 1, hash: first.prev };
  const proof: ProofLine[] = [];
  for await (const line of proveConsistency(source, from, checkpoint)) proof.push(line);
  const contents = await Promise.all(meant.map(({ seq }) => source.contents(seq)));
  const entries = meant.map(({ seq, salt, body }) => ({ seq, salt, body: JSON.parse(body) }));
  const { workspace } = source;
  return { format: 1, workspace, entries, contents: contents.flat(), from, proof, checkpoint };
}

async function findEntries(
  source: StoreReader,
  isMeant: (kind: string, body: JsonObject) => boolean,
): Promise<readonly StoredEntry[]> {
  const found: StoredEntry[] = [];
  for await (const page of source.scanEntries(0)) {
    found.push(...page.filter(({ kind, body }) => isMeant(kind, JSON.parse(body) as JsonObject)));
  }
  return found;
}

/** Why the bundle proves nothing; null if the key vouches for all of it. */
export function verifyEvidence(bundle: EvidenceBundle, key: VerifyingKey): string | null {
  const { workspace, checkpoint, proof, from } = bundle;
  if (checkpoint.keyId !== key.id || !isSignedBy(key, workspace, checkpoint)) {
    return 'its checkpoint is not signed by this key';
  }
  if (proof.some((line) => line.workspace !== workspace)) return 'it mixes two ledgers';
  const broken = checkConsistency(proof, from, checkpoint);
  if (broken !== null) return broken;
  const lines = new Map(proof.map((line) => [line.seq, line]));
  for (const entry of bundle.entries) {
    const found = entryProblem(entry, lines.get(entry.seq), bundle.contents);
    if (found !== null) return found;
  }
  const known = new Set(bundle.entries.map(({ seq }) => seq));
  const stray = bundle.contents.find(({ seq }) => !known.has(seq));
  return stray ? `content "${stray.name}" belongs to no entry` : null;
}

function entryProblem(
  { seq, salt, body }: EvidenceEntry,
  line: ProofLine | undefined,
  contents: readonly StoredContent[],
): string | null {
  if (line === undefined) return `entry ${seq} is not on the way to the checkpoint`;
  if (sha256(salt + canonicalJson(body)) !== line.digest) return `entry ${seq} was edited`;
  const digests = isJsonObject(body.contents) ? body.contents : {};
  for (const content of contents.filter((one) => one.seq === seq)) {
    const { name, subject, value } = content;
    const isWhole =
      value !== null &&
      content.salt !== null &&
      contentDigest(content.salt, subject, value) === digests[name];
    if (!isWhole) return `content "${name}" of entry ${seq} was edited or destroyed`;
  }
  return null;
}

/** Refuses what has not the shape of a bundle. */
export function parseEvidence(text: string): EvidenceBundle {
  const value = parse(text);
  const isBundle =
    isJsonObject(value) &&
    value.format === 1 &&
    [value.entries, value.contents, value.proof].every(Array.isArray) &&
    isJsonObject(value.from) &&
    isJsonObject(value.checkpoint) &&
    isCheckpoint(value.checkpoint as unknown as Checkpoint);
  if (!isBundle) throw fault('EXPORT_INVALID', { line: 1, reason: 'it is no evidence bundle' });
  const bundle = value as unknown as EvidenceBundle;
  bundle.proof.forEach((line, index) => void parseProofLine(line as Json, index + 1));
  return bundle;
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw fault('EXPORT_INVALID', { line: 1, reason: 'it is not JSON' }, error);
  }
}
