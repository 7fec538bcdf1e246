import type { Json, JsonObject } from './json/json.ts';
import {
  hideKnownSecrets,
  knownSecretsCount,
  noticeSecret,
  withoutNoticed,
} from './known-secrets.ts';
import { hideSecretForms, isCardNumber, isRandom } from './secret-forms.ts';

/** Applied to everything before it is stored. What it removes is not in the ledger at all. */
export type Redact = (value: Json) => Json;

const secretKey =
  /^(?:.*[-_.])?(?:pass(?:word|wd|phrase|code)?|pwd|secret|api[-_]?key|access[-_]?key|secret[-_]?key|private[-_]?key|(?:access|refresh|id|auth|bearer|session)[-_]?token|authorization|cookie|set-cookie|client[-_]?secret|credentials?|cvv2?|cvc2?)$/i;

/** The same words at the end of a name in camelCase: userPassword, stripeApiKey. */
const secretCamelKey =
  /[a-z0-9](?:Pass(?:word|wd|phrase|code)|Pwd|Secret|(?:Api|Access|Private|Secret)Key|(?:Access|Refresh|Auth|Bearer|Session)Token|Authorization|Credentials?)$/;

/** Names of secrets and of other things: the value has to look like a secret, too. */
const weakKey =
  /(?:(?:^|[-_.])token|[a-z0-9]Token|(?:^|[-_.])(?:auth|otp|sig|signature|session|sessionid|sid|jwt))$/i;

/** Tokens that say where a list goes on, or which message belongs to which. */
const otherToken =
  /(?:page|next|cursor|continuation|sync|progress|cancel|lock|fencing)[-_]?token$/i;

/**
 * Secrets by the name of their field and by their well-known forms. A value without any is given
 * back as it is: this runs for everything that is stored.
 */
export const redactSecrets: Redact = (value) => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'number') return isCard(value) ? '[redacted card]' : value;
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
    const facts = factsOf(key);
    const safe = holdsSecret(facts, member) ? hideMember(member) : redactSecrets(member);
    if (safe === member && facts.shown === key) continue;
    copy ??= { ...object };
    if (facts.shown !== key) delete copy[key];
    copy[facts.shown] = safe;
  }
  return copy ?? object;
}

/** Whoever logs or answers with the same value later does so under another name. */
function hideMember(value: Json): Json {
  if (typeof value === 'string') noticeSecret(value);
  return '[redacted]';
}

const cardMin = 10 ** 14;

function isCard(value: number): boolean {
  return value >= cardMin && Number.isSafeInteger(value) && isCardNumber(String(value));
}

interface KeyFacts {
  readonly kind: 'secret' | 'weak' | 'other';
  /** The name itself, which may be a secret, too. */
  readonly shown: string;
}

/** Field names repeat; what was decided about one is remembered, until more secrets are known. */
let knownKeys = new Map<string, KeyFacts>();
let knownKeysVersion = 0;
const knownKeysMax = 2_000;

function factsOf(key: string): KeyFacts {
  if (knownKeysVersion !== knownSecretsCount()) {
    knownKeysVersion = knownSecretsCount();
    knownKeys = new Map();
  }
  const known = knownKeys.get(key);
  if (known !== undefined) return known;
  const kind = isSecretName(key) ? 'secret' : isWeakSecretName(key) ? 'weak' : 'other';
  const facts: KeyFacts = { kind, shown: withoutNoticed(() => redactText(key)) };
  if (knownKeys.size < knownKeysMax && key.length < 64) knownKeys.set(key, facts);
  return facts;
}

/** A field that is called like this holds a secret, whatever its value looks like. */
/** For programs that cannot import this module, such as the agent in a probed process. */
export const secretNamePatterns: readonly RegExp[] = [secretKey, secretCamelKey];

export function isSecretName(key: string): boolean {
  return secretNamePatterns.some((pattern) => pattern.test(key));
}

/** A field that is called like this holds a secret if its value looks like one. */
export function isWeakSecretName(key: string): boolean {
  return weakKey.test(key) && !otherToken.test(key);
}

/** A value without the secrets that it holds as a field of this name. */
export function redactField(name: string, value: Json): Json {
  const [safe = null] = Object.values(redactSecrets({ [name]: value }) as JsonObject);
  return safe;
}

const weakCharsMin = 12;

/** `{"password": null}` or `{"credentials": true}` tell nothing; what could hold a secret goes. */
function holdsSecret({ kind }: KeyFacts, value: Json): boolean {
  if (kind === 'other' || value === null || typeof value === 'boolean' || value === '')
    return false;
  if (kind === 'secret') return true;
  return typeof value === 'string' && value.length >= weakCharsMin && isRandom(value);
}

export function redactText(text: string): string {
  return hideSecretForms(hideKnownSecrets(text));
}
