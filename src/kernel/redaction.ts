import { isJsonObject, type Json } from './json.ts';

/** Applied to everything before it is stored. What it removes is not in the ledger at all. */
export type Redact = (value: Json) => Json;

const secretKey =
  /^(?:.*[-_.])?(?:pass(?:word|wd|phrase)?|secret|api[-_]?key|access[-_]?key|private[-_]?key|(?:access|refresh|id|auth|bearer|session)[-_]?token|authorization|cookie|set-cookie|client[-_]?secret|credentials?)$/i;

const secretValues: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    'private-key',
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  ],
  // The lookbehind keeps runs disjoint: without it a hostile text costs time squared.
  ['jwt', /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g],
  ['bearer', /\b[Bb]earer +[\w.~+/=-]{8,}/g],
  ['api-key', /\b(?:sk|rk|pk)[-_](?:live|test|proj|ant)[-_][\w-]{8,}/g],
  ['api-key', /\bgh[pousr]_\w{20,}/g],
  ['api-key', /\bxox[abprs]-[\w-]{10,}/g],
  ['access-key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ['url-password', /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,80}:)[^\s/@]{1,200}(?=@)/g],
];

/** Secrets by the name of their field and by their well-known forms. */
export const redactSecrets: Redact = (value) => {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactSecrets);
  if (!isJsonObject(value)) return value;
  const copy: Record<string, Json> = Object.create(null);
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    copy[key] = secretKey.test(key) && holdsSecret(member) ? '[redacted]' : redactSecrets(member);
  }
  return copy;
};

/** `{"password": null}` or `{"credentials": true}` tell nothing; what could hold a secret goes. */
function holdsSecret(value: Json): boolean {
  return value !== null && typeof value !== 'boolean' && value !== '';
}

export function redactText(text: string): string {
  // No known form is shorter than this; most strings in the ledger are ids and names.
  if (text.length < 8) return text;
  let redacted = text;
  for (const [kind, pattern] of secretValues) {
    redacted = redacted.replace(pattern, `[redacted ${kind}]`);
  }
  return redacted;
}
