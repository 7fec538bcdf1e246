import { isSecretName } from '../../kernel/index.ts';

/** Anywhere in a name, also without separators: resettoken, PHPSESSID. */
const secretParts =
  /token|secret|passw|passcode|passphrase|pwd|signature|credential|csrf|xsrf|jwt|hmac|otpcode|sessid|sessionid|apikey|authkey|authcode|saml|securityanswer|verifier/;

/** Too short to match within other words: `pin` is in `shipping`. */
const secretWords = new Set(
  'auth otp totp mfa pin sig cvv cvc csc sid pass jws assertion session'.split(' '),
);

/** Words before `code` or `key` that make it harmless; any other may be a secret. */
const harmlessBefore = new Set(
  (
    'area bar cache city color colour country currency error foreign group idempotency item lang ' +
    'language locale object order partition post postal primary product public qr region response ' +
    'routing row sort state status translation zip'
  ).split(' '),
);

const counted = new Set('completion count input limit max min output prompt total'.split(' '));

/**
 * Whether a field must not be stored, by its name. Stricter than elsewhere: a harmless field that
 * is withheld costs a stand-in, a secret that is stored is a leak.
 */
export function isSecretField(name: string): boolean {
  if (isSecretName(name)) return true;
  const words = wordsOf(name);
  if (words.includes('tokens') && words.some((word) => counted.has(word))) return false;
  return (
    secretParts.test(words.join('')) ||
    words.some((word) => secretWords.has(singular(word))) ||
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
