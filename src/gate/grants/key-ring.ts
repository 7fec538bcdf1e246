import { createPublicKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import {
  type Clock,
  checkPrivate,
  fault,
  type Instant,
  isJsonObject,
  type Json,
  type JsonObject,
  makePrivatePem,
  parseStrictJson,
  type SigningKey,
  signingKeyFrom,
  writePrivateFile,
} from '../../kernel/index.ts';
import type { GrantJwks } from '../../verify-grant/index.ts';
import { grantLimits } from '../../verify-grant/limits.ts';
import { gateLimits } from '../limits.ts';
import type { GrantKey } from './api-schema.ts';

/** The signing keys of grants, in a private file that survives restarts. */
export class KeyRing {
  readonly #path: string;
  readonly #clock: Clock;
  #state: RingState;
  #signer: SigningKey;

  /** Reads or creates the ring at `path`. One process at a time may hold it. */
  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
    const found = readRing(path);
    this.#state = found ?? firstRing(clock.now());
    this.#signer = openSigner(path, this.#state);
    if (!found) writeRing(path, this.#state);
  }

  /** The current signing key. It changes, so ask for it each time. */
  signer(): SigningKey {
    return this.#signer;
  }

  list(): GrantKey[] {
    const now = this.#clock.now();
    return this.#state.keys.map((key) => showKey(key, now));
  }

  /** The public keys of all grants that may still be valid. */
  jwks(): GrantJwks {
    const now = this.#clock.now();
    return { keys: this.#state.keys.filter((key) => isPublished(key, now)).map(toJwk) };
  }

  /**
   * Also contains retired keys, because an executor may report an outcome long after the grant
   * expired.
   */
  settlementJwks(): GrantJwks {
    return { keys: this.#state.keys.filter(({ revokedAt }) => revokedAt === null).map(toJwk) };
  }

  /** Adds a new signing key. Grants of the previous one stay valid until they expire. */
  rotate(): GrantKey {
    const now = this.#clock.now();
    return this.#succeed({ ...this.#state.keys[0], retiredAt: now }, now);
  }

  /** Invalidates all grants of a key. If it was the current one, a new key replaces it. */
  revoke(kid: string): GrantKey {
    const now = this.#clock.now();
    const [current, ...earlier] = this.#state.keys;
    const key = this.#find(kid);
    if (key.revokedAt !== null) return showKey(key, now);
    const revoked = { ...key, retiredAt: key.retiredAt ?? now, revokedAt: now };
    if (key === current) {
      this.#succeed(revoked, now);
    } else {
      const keys = earlier.map((other) => (other === key ? revoked : other));
      this.#write({ ...this.#state, keys: [current, ...keys] });
    }
    return showKey(revoked, now);
  }

  #find(kid: string): RingKey {
    const key = this.#state.keys.find((candidate) => candidate.kid === kid);
    if (!key) throw fault('NOT_FOUND', { what: `key for grants ${kid}` });
    return key;
  }

  #succeed(before: RingKey, now: Instant): GrantKey {
    const [, ...earlier] = this.#state.keys;
    const { privatePem, keys } = firstRing(now);
    this.#write({ privatePem, keys: [keys[0], ...makeRoom([before, ...earlier], now)] });
    return showKey(keys[0], now);
  }

  /** Written to disk before it takes effect, so that a crash cannot undo it. */
  #write(state: RingState): void {
    const signer = openSigner(this.#path, state);
    writeRing(this.#path, state);
    this.#state = state;
    this.#signer = signer;
  }
}

function firstRing(now: Instant): RingState {
  const privatePem = makePrivatePem();
  const { id: kid, publicPem } = signingKeyFrom(privatePem);
  const { x = '' } = createPublicKey(publicPem).export({ format: 'jwk' });
  return { privatePem, keys: [{ kid, x, madeAt: now, retiredAt: null, revokedAt: null }] };
}

function openSigner(path: string, { privatePem, keys: [current] }: RingState): SigningKey {
  const signer = readSigner(path, privatePem);
  if (signer.id === current.kid) return signer;
  throw fault('GRANT_KEYS_UNREADABLE', { path, reason: 'its private key is another one' });
}

function readSigner(path: string, privatePem: string): SigningKey {
  try {
    return signingKeyFrom(privatePem);
  } catch (error) {
    throw fault('GRANT_KEYS_UNREADABLE', { path, reason: (error as Error).message }, error);
  }
}

/** Drops the oldest keys that no grant needs any more, and no others. */
function makeRoom(keys: readonly RingKey[], now: Instant): readonly RingKey[] {
  const kept = [...keys];
  while (kept.length >= gateLimits.grantKeysMax) {
    const oldest = kept.findLastIndex((key) => !isPublished(key, now));
    if (oldest < 0) throw full(kept, now);
    kept.splice(oldest, 1);
  }
  return kept;
}

function full(keys: readonly RingKey[], now: Instant): Error {
  const endsAt = (keys.at(-1)?.retiredAt ?? now) + grantLimits.grantMsMax;
  const seconds = Math.max(1, Math.ceil((endsAt - now) / 1_000));
  return fault('GRANT_KEYS_FULL', { keys: keys.length, seconds });
}

function isPublished({ retiredAt, revokedAt }: RingKey, now: Instant): boolean {
  if (revokedAt !== null) return false;
  return retiredAt === null || now < retiredAt + grantLimits.grantMsMax;
}

function showKey(key: RingKey, now: Instant): GrantKey {
  const { kid, madeAt, retiredAt, revokedAt } = key;
  return { kid, state: stateOf(key, now), madeAt, retiredAt, revokedAt };
}

function stateOf(key: RingKey, now: Instant): GrantKey['state'] {
  if (key.revokedAt !== null) return 'revoked';
  if (key.retiredAt === null) return 'current';
  return isPublished(key, now) ? 'retiring' : 'retired';
}

function toJwk({ kid, x }: RingKey): GrantJwks['keys'][number] {
  return { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' };
}

/** A key for grants. Only its public half is kept after it stops signing. */
interface RingKey {
  readonly kid: string;
  /** The public key, as in a JWK. */
  readonly x: string;
  readonly madeAt: Instant;
  /** When another key replaced it. */
  readonly retiredAt: Instant | null;
  readonly revokedAt: Instant | null;
}

interface RingState {
  /** The private half of the first key. */
  readonly privatePem: string;
  /** The current key, then its predecessors, newest first. */
  readonly keys: readonly [RingKey, ...RingKey[]];
}

/** Replaces the whole file, so that a crash leaves the ring before or after a rotation. */
function writeRing(path: string, state: RingState): void {
  writePrivateFile(path, `${JSON.stringify(state)}\n`);
}

function readRing(path: string): RingState | undefined {
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
