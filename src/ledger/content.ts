import {
  canonicalJson,
  fault,
  type Json,
  parseStrictJson,
  sha256,
  sharedLimits,
} from '../kernel/index.ts';
import type { Content } from './api-schema.ts';

/**
 * What may have to be forgotten (arguments, results, patches) stands beside the chain under a
 * salted digest. Destroying value and salt leaves the digest, which then tells nothing.
 */
export interface ContentDraft {
  readonly name: string;
  /** Whom or what it is about; `surety ledger shred` takes a subject. */
  readonly subject: string;
  readonly value: Json;
}

export interface StoredContent {
  readonly seq: number;
  readonly name: string;
  readonly subject: string;
  readonly digest: string;
  /** Null once destroyed. */
  readonly salt: string | null;
  readonly value: string | null;
  /** The entry that destroyed it. */
  readonly shreddedBy: number | null;
}

export function readContent({ name, subject, digest, value, shreddedBy }: StoredContent): Content {
  if (shreddedBy !== null) return { name, subject, digest, shreddedBy };
  return { name, subject, digest, value: parseStrictJson(value as string) };
}

const namePattern = /^[a-z][A-Za-z0-9]{0,39}$/;
const subjectPattern = /^[\x21-\x7e]{1,200}$/;

export function sealContent(seq: number, draft: ContentDraft, salt: string): StoredContent {
  const { name, subject } = draft;
  checkContentNames(name, subject);
  const value = canonicalJson(draft.value);
  checkSize(name, value);
  const digest = contentDigest(salt, subject, value);
  return { seq, name, subject, digest, salt, value, shreddedBy: null };
}

/** Commits to the subject too: under another one, shredding would pass it by. */
export function contentDigest(salt: string, subject: string, value: string): string {
  return sha256(`${salt}${subject}\n${value}`);
}

export function checkSubject(subject: string): void {
  if (subjectPattern.test(subject)) return;
  throw fault('JSON_INVALID', {
    reason: `"${subject}" is not a subject (1 to 200 printable characters without spaces)`,
  });
}

function checkContentNames(name: string, subject: string): void {
  if (!namePattern.test(name)) {
    throw fault('JSON_INVALID', { reason: `"${name}" is not a name for a content` });
  }
  checkSubject(subject);
}

function checkSize(name: string, value: string): void {
  const limit = sharedLimits.contentBytesMax;
  if (value.length * 3 <= limit) return;
  const bytes = Buffer.byteLength(value);
  if (bytes > limit) throw fault('CONTENT_TOO_LARGE', { name, bytes, limit });
}
