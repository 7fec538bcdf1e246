import { isSecretName } from '../../kernel/index.ts';

/** Wherever it stands in a name, also without anything between: resettoken, PHPSESSID. */
const telling =
  /token|secret|passw|passcode|passphrase|pwd|signature|credential|csrf|xsrf|jwt|hmac|otpcode|sessid|sessionid|apikey|authkey|authcode|saml|securityanswer|verifier/;

/** Too short to be looked for within other words: `pin` is in `shipping`. */
const tellingWords = new Set(
  'auth otp totp mfa pin sig cvv cvc csc sid pass jws assertion session'.split(' '),
);

/** What gives a `code` or a `key` away as a harmless one; any other lets somebody in. */
const harmlessBefore = new Set(
  (
    'area bar cache city color colour country currency error foreign group idempotency item lang ' +
    'language locale object order partition post postal primary product public qr region response ' +
    'routing row sort state status translation zip'
  ).split(' '),
);

const counted = new Set('completion count input limit max min output prompt total'.split(' '));

/**
 * Whether nothing may be kept of a field, by its name. Wider than what is a secret elsewhere:
 * one that is withheld for nothing costs a stand-in, one that is kept lets somebody in.
 */
export function isSecretField(name: string): boolean {
  if (isSecretName(name)) return true;
  const words = wordsOf(name);
  if (words.includes('tokens') && words.some((word) => counted.has(word))) return false;
  return (
    telling.test(words.join('')) ||
    words.some((word) => tellingWords.has(singular(word))) ||
    isCodeOrKey(words)
  );
}

function isCodeOrKey(words: readonly string[]): boolean {
  const last = singular(words.at(-1) ?? '');
  return (last === 'code' || last === 'key') && !harmlessBefore.has(words.at(-2) ?? '');
}

/** `cvvs`, but not `pas`. */
function singular(word: string): string {
  return word.endsWith('ss') ? word : word.replace(/s$/, '');
}

/** `user[apiToken]` is user, api, token. */
function wordsOf(name: string): string[] {
  const apart = name.replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2');
  return apart.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}
