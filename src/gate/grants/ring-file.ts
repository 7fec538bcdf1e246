import { existsSync, readFileSync } from 'node:fs';
import {
  checkPrivate,
  fault,
  type Instant,
  isJsonObject,
  type Json,
  type JsonObject,
  parseStrictJson,
  writePrivateFile,
} from '../../kernel/index.ts';

/** A key for grants. Only its public half is kept after it stops signing. */
export interface RingKey {
  readonly kid: string;
  /** The public key, as in a JWK. */
  readonly x: string;
  readonly madeAt: Instant;
  /** When another key replaced it. */
  readonly retiredAt: Instant | null;
  readonly revokedAt: Instant | null;
}

export interface RingState {
  /** The private half of the first key. */
  readonly privatePem: string;
  /** The current key, then its predecessors, newest first. */
  readonly keys: readonly [RingKey, ...RingKey[]];
}

/** Replaces the whole file, so that a crash leaves the ring before or after a rotation. */
export function writeRing(path: string, state: RingState): void {
  writePrivateFile(path, `${JSON.stringify(state)}\n`);
}

export function readRing(path: string): RingState | undefined {
  if (!existsSync(path)) return undefined;
  checkPrivate(path);
  const state = parse(path);
  if (isRing(state)) return state;
  throw fault('GRANT_KEYS_UNREADABLE', { path, reason: 'it is not what Surety wrote' });
}

function parse(path: string): Json {
  try {
    return parseStrictJson(readFileSync(path, 'utf8'));
  } catch (error) {
    throw fault('GRANT_KEYS_UNREADABLE', { path, reason: (error as Error).message }, error);
  }
}

function isRing(value: Json): value is Json & RingState {
  if (!isJsonObject(value)) return false;
  const { privatePem, keys } = value;
  return (
    typeof privatePem === 'string' && Array.isArray(keys) && keys.length > 0 && keys.every(isKey)
  );
}

function isKey(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const { kid, x, madeAt } = value;
  const isText = typeof kid === 'string' && typeof x === 'string';
  return isText && isInstant(madeAt) && isEnd(value, 'retiredAt') && isEnd(value, 'revokedAt');
}

function isEnd(key: JsonObject, name: string): boolean {
  return key[name] === null || isInstant(key[name]);
}

function isInstant(value: Json | undefined): boolean {
  return Number.isSafeInteger(value);
}
