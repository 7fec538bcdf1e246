import type { Json, JsonObject } from './json/json.ts';
import { hideKnownSecrets } from './known-secrets.ts';

/** Applied to everything before it is stored. What it removes is not in the ledger at all. */
export type Redact = (value: Json) => Json;

const secretKey =
  /^(?:.*[-_.])?(?:pass(?:word|wd|phrase)?|secret|api[-_]?key|access[-_]?key|private[-_]?key|(?:access|refresh|id|auth|bearer|session)[-_]?token|authorization|cookie|set-cookie|client[-_]?secret|credentials?)$/i;

/** The same words at the end of a name in camelCase: userPassword, stripeApiKey. */
const secretCamelKey =
  /[a-z0-9](?:Pass(?:word|wd|phrase)|Secret|(?:Api|Access|Private)Key|(?:Access|Refresh|Auth|Bearer|Session)Token|Authorization|Credentials?)$/;

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

/**
 * Whatever any of the forms above needs: one look tells that most texts hold none of them. The name
 * of a task has "sk_" in it, and is in most entries.
 */
const anyForm =
  /eyJ|earer |-----BEGIN|[srp]k[-_](?:live|test|proj|ant)[-_]|gh[pousr]_|xox|AKIA|ASIA|:\/\//;

/**
 * Secrets by the name of their field and by their well-known forms. A value without any is given
 * back as it is: this runs for everything that is stored.
 */
export const redactSecrets: Redact = (value) => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? redactArray(value) : redactObject(value as JsonObject);
};

function redactArray(items: readonly Json[]): Json {
  const copy = items.map(redactSecrets);
  return copy.some((item, index) => item !== items[index]) ? copy : items;
}

function redactObject(object: JsonObject): Json {
  let copy: Record<string, Json> | undefined;
  for (const key of Object.keys(object)) {
    const member = object[key];
    if (member === undefined) continue;
    const safe = isSecretName(key) && holdsSecret(member) ? '[redacted]' : redactSecrets(member);
    if (safe === member) continue;
    copy ??= { ...object };
    copy[key] = safe;
  }
  return copy ?? object;
}

/** Field names repeat; what was decided about one is remembered, up to a bound. */
const knownKeys = new Map<string, boolean>();
const knownKeysMax = 2_000;

/** A field that is called like this holds a secret, whatever its value looks like. */
export function isSecretName(key: string): boolean {
  const known = knownKeys.get(key);
  if (known !== undefined) return known;
  const secret = secretKey.test(key) || secretCamelKey.test(key);
  if (knownKeys.size < knownKeysMax && key.length < 64) knownKeys.set(key, secret);
  return secret;
}

/** `{"password": null}` or `{"credentials": true}` tell nothing; what could hold a secret goes. */
function holdsSecret(value: Json): boolean {
  return value !== null && typeof value !== 'boolean' && value !== '';
}

export function redactText(text: string): string {
  let redacted = hideKnownSecrets(text);
  if (!anyForm.test(redacted)) return redacted;
  for (const [kind, pattern] of secretValues) {
    redacted = redacted.replace(pattern, `[redacted ${kind}]`);
  }
  return redacted;
}
