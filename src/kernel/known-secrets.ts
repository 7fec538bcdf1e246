import { sharedLimits } from './limits.ts';
import { SecretMatcher } from './secret-matcher.ts';
import { tryOr } from './try-or.ts';

/** The longest first, so that no part of one is left because another was found in it. */
let known: readonly string[] = [];
let matcher = new SecretMatcher([]);
/** Without what was only noticed. */
let givenMatcher = new SecretMatcher([]);
let isGivenOnly = false;

/** As they were given, for another process that has to keep them, too. */
const given = new Set<string>();
let listener: ((values: readonly string[]) => void) | undefined;

/** Values that somebody sent in a field for secrets; the latest ones. */
let noticed = new Set<string>();

/** A line of a longer secret (a key file) is as telling as the whole. */
const lineCharsMin = 16;

/** From now on it is shown nowhere and stored nowhere by this process. */
export function rememberSecret(value: string): void {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= lineCharsMin);
  const forms = new Set([...known, ...[value, ...lines].flatMap(formsOf)]);
  if (forms.size === known.length) return;
  given.add(value);
  known = [...forms].sort((one, other) => other.length - one.length);
  matcher = new SecretMatcher([...known, ...noticed]);
  givenMatcher = new SecretMatcher(known);
  listener?.([...given]);
}

const noticedCharsMin = 8;
const noticedCharsMax = 1_024;

/**
 * A value of a field such as `password`. If it could be no ordinary word, it is hidden wherever it
 * occurs again, as long as it is one of the latest.
 */
export function noticeSecret(value: string): void {
  // Of a header such as `Bearer abc`, the last part is the secret.
  const text = value.slice(value.lastIndexOf(' ') + 1);
  if (text.length < noticedCharsMin || text.length > noticedCharsMax) return;
  if (!/\d/.test(text) || !/\D/.test(text) || noticed.has(text)) return;
  if (noticed.size >= 2 * sharedLimits.noticedSecretsMax) {
    noticed = new Set([...noticed].slice(-sharedLimits.noticedSecretsMax));
    matcher = new SecretMatcher([...known, ...noticed]);
  }
  noticed.add(text);
  matcher.add(text);
  const encodedText = encoded(text);
  if (encodedText !== text) matcher.add(encodedText);
}

/** All that are known, and all that become known. There is one who hears of them. */
export function watchSecrets(listen: (values: readonly string[]) => void): void {
  listener = listen;
  if (given.size > 0) listen([...given]);
}

/** It grows with every one: who remembers what has none in it has to look again then. */
export function knownSecretsCount(): number {
  return known.length;
}

export function hideKnownSecrets(text: string): string {
  return (isGivenOnly ? givenMatcher : matcher).hide(text);
}

/**
 * For what state is made of: whoever sends a name of ours, or the hash of a version, as a password
 * must not be able to remove it from there.
 */
export function withoutNoticed<Result>(work: () => Result): Result {
  const before = isGivenOnly;
  isGivenOnly = true;
  try {
    return work();
  } finally {
    isGivenOnly = before;
  }
}

/** The same of a text that somebody has cut: it may end in the first part of one. */
export function hideCutSecret(text: string): string {
  for (const form of known) {
    for (let length = Math.min(form.length, text.length) - 1; length >= partCharsMin; length--) {
      if (text.endsWith(form.slice(0, length)))
        return `${text.slice(0, text.length - length)}[redacted secret]`;
    }
  }
  return text;
}

/** Fewer letters tell nothing, and every other text ends in them. */
const partCharsMin = 4;

/** As it stands in an address, in a form, in JSON, in JSON in a string, and in base64. */
function formsOf(text: string): string[] {
  const inJson = JSON.stringify(text).slice(1, -1);
  const inString = JSON.stringify(inJson).slice(1, -1);
  const inAddress = encoded(text);
  const inForm = inAddress.replaceAll('%20', '+');
  const base64 = Buffer.from(text).toString('base64').replace(/=+$/, '');
  const parts = [0, 1, 2].flatMap((offset) => base64Part(text, offset));
  const forms = [text, inAddress, inForm, inJson, inString, base64, ...parts];
  return forms.filter((form) => form !== '');
}

const base64CharsMin = 8;

/**
 * What base64 makes of it behind `offset` other bytes, such as `user:` in basic authentication:
 * the characters that depend on nothing else. In both alphabets.
 */
function base64Part(text: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
  const start = Math.ceil((offset * 8) / 6);
  const part = bytes.toString('base64').slice(start, Math.floor((bytes.length * 8) / 6));
  if (part.length < base64CharsMin) return [];
  return [part, part.replaceAll('+', '-').replaceAll('/', '_')];
}

function encoded(text: string): string {
  // Half a character: it cannot stand in an address at all.
  return tryOr(() => encodeURIComponent(text), '');
}
