import { readFileSync } from 'node:fs';
import { redactSecrets, redactText } from '../../src/kernel/index.ts';

/** One form of a secret: a text around it, and how a value of it is made. */
interface Form {
  readonly form: string;
  readonly text: string;
  readonly secret: string;
}

export interface Sample {
  readonly form: string;
  readonly text: string;
  readonly secret: string;
}

const file = new URL('../fixtures/redaction-corpus.json', import.meta.url);

/**
 * The corpus with values filled in. Its file holds no value that looks like a secret, so that no
 * scanner takes it for a leak.
 */
export function redactionCorpus(): Sample[] {
  const random = seededRandom(20_261_116);
  const forms = JSON.parse(readFileSync(file, 'utf8')) as readonly Form[];
  return forms.map(({ form, text, secret: pattern }) => {
    const secret = makeSecret(pattern, random);
    return { form, text: text.replaceAll('{secret}', secret), secret };
  });
}

/** Whether eight characters of the secret in a row are left, or all of a shorter one. */
export function isLeaked({ text, secret }: Sample): boolean {
  const left = text.startsWith('{') ? redactStructured(text) : redactText(text);
  const length = Math.min(8, secret.length);
  for (let start = 0; start + length <= secret.length; start++) {
    if (left.includes(secret.slice(start, start + length))) return true;
  }
  return false;
}

/** What is JSON is redacted as JSON, as the ledger does. */
function redactStructured(text: string): string {
  try {
    return JSON.stringify(redactSecrets(JSON.parse(text)));
  } catch {
    return redactText(text);
  }
}

const lower = 'abcdefghijklmnopqrstuvwxyz';
const digit = '0123456789';
const alphabets: Readonly<Record<string, string>> = {
  digit,
  hex: `${digit}abcdef`,
  HEX: `${digit}ABCDEF`,
  lower: lower + digit,
  UPPER: lower.toUpperCase() + digit,
  letter: lower + lower.toUpperCase(),
  alnum: lower + lower.toUpperCase() + digit,
  base64: `${lower}${lower.toUpperCase()}${digit}+/`,
};

function makeSecret(pattern: string, random: () => number): string {
  const [, start, length, separator = ''] = /^card:(\d+):(\d+)(?::(.))?$/.exec(pattern) ?? [];
  if (start !== undefined) return makeCard(start, Number(length), separator, random);
  return pattern.replace(/<(\w+)\*(\d+)>/g, (_, name: string, count: string) =>
    pick(alphabets[name] as string, Number(count), random),
  );
}

/** A number that passes the check of Luhn. */
function makeCard(start: string, length: number, separator: string, random: () => number): string {
  const digits = start + pick(digit, length - start.length - 1, random);
  const sum = [...digits].reverse().reduce((total, character, index) => {
    const value = Number(character) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  const whole = `${digits}${(10 - (sum % 10)) % 10}`;
  return separator === '' ? whole : (whole.match(/.{1,4}/g) ?? []).join(separator);
}

function pick(alphabet: string, count: number, random: () => number): string {
  return Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)]).join(
    '',
  );
}

/** The same numbers in every run, so that a score can be compared. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
