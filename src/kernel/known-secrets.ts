import { tryOr } from './try-or.ts';

/** The longest first, so that no part of one is left because another was found in it. */
let known: readonly string[] = [];

/** As they were given, for another process that has to keep them, too. */
const given = new Set<string>();
let listener: ((values: readonly string[]) => void) | undefined;

/** A line of a longer secret (a key file) is as telling as the whole. */
const lineCharsMin = 16;

/** From now on it is shown nowhere and stored nowhere by this process. */
export function rememberSecret(value: string): void {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= lineCharsMin);
  const forms = new Set([...known, ...[value, ...lines].flatMap(formsOf)]);
  if (forms.size === known.length) return;
  given.add(value);
  known = [...forms].sort((one, other) => other.length - one.length);
  listener?.([...given]);
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
  let hidden = text;
  for (const form of known) {
    if (hidden.includes(form)) hidden = hidden.replaceAll(form, '[redacted secret]');
  }
  return hidden;
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

/** As it stands in an address, in JSON and in a header of basic authentication. */
function formsOf(text: string): string[] {
  const base64 = Buffer.from(text).toString('base64').replace(/=+$/, '');
  const forms = [text, encoded(text), JSON.stringify(text).slice(1, -1), base64];
  return forms.filter((form) => form !== '');
}

function encoded(text: string): string {
  // Half a character: it cannot stand in an address at all.
  return tryOr(() => encodeURIComponent(text), '');
}
