import {
  type Actor,
  canonicalJson,
  fault,
  type Instant,
  type JsonObject,
  sha256,
} from '../kernel/index.ts';
import type { Entry, EntryHeader, Head } from './api-schema.ts';
import { ledgerLimits } from './limits.ts';

/** An entry as it is stored: the body is kept as the very bytes that were hashed. */
export interface StoredEntry extends EntryHeader {
  readonly hash: string;
  readonly salt: string;
  readonly body: string;
}

const kindPattern = /^[a-z]{1,40}(?:-[a-z]{1,40}){1,4}$/;
const actorPattern = /^(?:agent|person|surety):[A-Za-z0-9][\w.@+-]{0,99}$/;
const workspacePattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * The canonical JSON of a header, written out: every value is known to need no escaping, and
 * building it by hand is what lets `verify` check hundreds of thousands of entries a second.
 */
export function headerText(header: EntryHeader): string {
  const { actor, at, digest, kind, prev, seq, workspace } = header;
  return `{"actor":"${actor}","at":${at},"digest":"${digest}","kind":"${kind}","prev":"${prev}","seq":${seq},"workspace":"${workspace}"}`;
}

export interface Sealable {
  readonly workspace: string;
  readonly at: Instant;
  readonly kind: string;
  readonly actor: Actor;
  readonly body: JsonObject;
  readonly salt: string;
}

/** Makes the entry that follows `head`. Pure: the same input gives the same hash. */
export function sealEntry(head: Head, sealable: Sealable): StoredEntry {
  const { workspace, kind, actor, salt } = sealable;
  checkNames(kind, actor);
  const body = canonicalJson(sealable.body);
  checkBodySize(kind, body);
  const seq = head.seq + 1;
  // Time on a chain never goes back, whichever daemon wrote the last entry.
  const at = Math.max(sealable.at, head.at);
  const digest = sha256(salt + body);
  const prev = head.hash;
  const hash = sha256(headerText({ workspace, seq, at, kind, actor, digest, prev }));
  return { workspace, seq, at, kind, actor, digest, prev, hash, salt, body };
}

/** The same entry as people see it; written out, since this is done for every append. */
export function withBody(stored: StoredEntry, body: JsonObject): Entry {
  const { workspace, seq, at, kind, actor, digest, prev, hash } = stored;
  return { workspace, seq, at, kind, actor, digest, prev, hash, body };
}

export function readEntry(stored: StoredEntry): Entry {
  return withBody(stored, JSON.parse(stored.body) as JsonObject);
}

export function isWorkspaceName(name: string): boolean {
  return workspacePattern.test(name);
}

function checkNames(kind: string, actor: string): void {
  if (!kindPattern.test(kind)) {
    throw fault('JSON_INVALID', { reason: `"${kind}" is not a kind of entry (noun-verb)` });
  }
  if (!actorPattern.test(actor)) {
    throw fault('JSON_INVALID', { reason: `"${actor}" is not an actor (agent:name, person:name)` });
  }
}

function checkBodySize(kind: string, body: string): void {
  const limit = ledgerLimits.bodyBytesMax;
  // A UTF-16 unit is at most three bytes of UTF-8: most bodies need no exact count.
  if (body.length * 3 <= limit) return;
  const bytes = Buffer.byteLength(body);
  if (bytes > limit) throw fault('BODY_TOO_LARGE', { kind, bytes, limit });
}
