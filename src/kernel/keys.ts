import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fault } from './fault.ts';
import { checkPrivate, writePrivateFile } from './files/private-file.ts';
import { sha256 } from './hash.ts';

/** Ed25519. The id is the first half of the public key's hash, so no other key can claim it. */
export interface SigningKey {
  readonly id: string;
  readonly publicPem: string;
  sign(text: string): string;
}

export interface VerifyingKey {
  readonly id: string;
  verify(text: string, signature: string): boolean;
}

/** Reads the key at `path`, or makes one there, readable by its owner only. */
export function openSigningKey(path: string): SigningKey {
  if (!existsSync(path)) writePrivateFile(path, makePrivatePem());
  checkPrivate(path);
  return signingKey(readPrivateKey(path));
}

/** For whoever keeps keys in a private file of their own. */
export function makePrivatePem(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Throws what the library throws if this is no key. */
export function signingKeyFrom(privatePem: string): SigningKey {
  return signingKey(createPrivateKey(privatePem));
}

function readPrivateKey(path: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(path));
  } catch (error) {
    throw fault('KEY_UNREADABLE', { path, reason: (error as Error).message }, error);
  }
}

function signingKey(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  return {
    id: keyId(publicKey),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  };
}

export function verifyingKey(publicPem: string): VerifyingKey {
  const publicKey = readPublicKey(publicPem);
  return {
    id: keyId(publicKey),
    verify: (text, signature) =>
      verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url')),
  };
}

function readPublicKey(publicPem: string): KeyObject {
  try {
    return createPublicKey(publicPem);
  } catch (error) {
    const reason = (error as Error).message;
    throw fault('KEY_UNREADABLE', { path: 'the given public key', reason }, error);
  }
}

function keyId(publicKey: KeyObject): string {
  return sha256(publicKey.export({ type: 'spki', format: 'der' })).slice(0, 32);
}
