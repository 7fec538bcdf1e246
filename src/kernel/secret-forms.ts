/**
 * The forms by which secrets are recognised in running text. Everything that is stored passes here,
 * so one cheap look decides which of them can occur at all, and each takes linear time.
 */
export function hideSecretForms(text: string): string {
  if (text.length < secretCharsMin) return text;
  if (oneWord.test(text)) return hideWord(text);
  let hidden = text;
  if (hidden.includes('-----BEGIN') || hidden.includes('PuTTY-')) hidden = hideKeys(hidden);
  if (hidden.includes('://')) hidden = hideInAddresses(hidden);
  if (anyName.test(hidden)) hidden = hideNamed(hidden);
  return hideWords(hidden);
}

/** The shortest text that can hold a secret and what tells that it is one: `pw=abcd`. */
const secretCharsMin = 7;

const oneWord = /^[\w.~-]*$/;

/** Part of every name, header and command below; both cases written out, which is faster. */
const anyName =
  /[Pp](?:ass|ASS|w|W|lain|LAIN)|[Ss](?:ecret|ECRET|ess|ESS|ig|IG)|[Tt](?:oken|OKEN)|[Kk](?:ey|EY)|[Aa](?:uth|UTH)|[Cc](?:red|RED|ookie|OOKIE|v[vc]|V[VC]|url)|[Bb](?:earer|EARER|asic|ASIC)|[Oo](?:tp|TP)|(?:identified|IDENTIFIED) |connect\.sid|mysql/;

function hideNamed(text: string): string {
  let hidden = text;
  if (hidden.includes('curl') || hidden.includes('mysql')) hidden = hideInCommands(hidden);
  hidden = hidden.replace(schemes, hideScheme).replace(headers, hideHeader);
  return hidden.replace(assignments, isDocument(hidden) ? hideTightlyAssigned : hideAssigned);
}

/** Texts of several lines are mostly programs, in which names stand beside other names. */
function isDocument(text: string): boolean {
  const first = text.indexOf('\n');
  return first >= 0 && text.indexOf('\n', first + 1) >= 0;
}

const keyCharsMin = 12;

function hideWord(word: string): string {
  if (word.length < keyCharsMin) return word;
  if (isKey(word)) return keyMark(word);
  return digitsOnly.test(word) ? hideCard(word) : word;
}

const digitsOnly = /^\d{15,16}$/;

function keyMark(word: string): string {
  if (word.startsWith('eyJ')) return '[redacted jwt]';
  return accessKey.test(word) ? '[redacted access-key]' : '[redacted api-key]';
}

const accessKey = /^A(?:KIA|SIA|BIA|CCA|3T)/;

function isKey(word: string): boolean {
  if (beginnings.has(word.slice(0, 2)) && prefixed.test(word)) return true;
  return word.includes('Q~') || word.includes('_mmk') || word.includes('.atlasv1.')
    ? marked.test(word)
    : false;
}

/** Keys with a mark that is not at their start. */
const marked =
  /^(?:[\w~.]{3}\dQ~[\w~.-]{31,34}|\w{6}_\w{29}_mmk|[a-z\d]{14}\.atlasv1\.[\w=-]{60,})/;

const other = 0;
const digit = 1;
const inWord = 2;

/** What a character is to a word. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\d/.test(character)) return digit;
  return /[\w.~-]/.test(character) ? inWord : other;
});

/** Long words may be keys; several groups of four digits may be the number of a card. */
function hideWords(text: string): string {
  let hidden = '';
  let kept = 0;
  let start = 0;
  let digitsInARow = 0;
  let fours = 0;
  const { length } = text;
  for (let index = 0; index <= length; index++) {
    const code = index < length ? text.charCodeAt(index) : 0;
    const kind = code < 128 ? (kinds[code] as number) : other;
    digitsInARow = kind === digit ? digitsInARow + 1 : 0;
    if (digitsInARow === 4) {
      fours++;
      digitsInARow = 0;
    }
    if (kind !== other) continue;
    if (index - start >= keyCharsMin && isKey(text.slice(start, index))) {
      hidden += text.slice(kept, start) + keyMark(text.slice(start, index));
      while (index < length && /[\w+/=.-]/.test(text.charAt(index))) index++;
      kept = index;
    }
    start = index + 1;
  }
  const words = kept === 0 ? text : hidden + text.slice(kept);
  return fours >= 3 ? words.replace(digitGroups, hideCard) : words;
}

function hideKeys(text: string): string {
  return text.replace(privateKeys, '[redacted private-key]');
}

const privateKeys =
  /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)|PuTTY-User-Key-File-\d[\s\S]*?(?:Private-MAC:|$)/g;

function hideInAddresses(text: string): string {
  return text
    .replace(addressPasswords, '[redacted url-password]')
    .replace(addressTokens, (token) => (isRandom(token) ? '[redacted url-token]' : token))
    .replace(webhooks, '$1[redacted webhook]');
}

const addressPasswords = /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,80}:)[^\s/@]{1,200}(?=@)/g;
const addressTokens = /(?<=:\/\/)[\w-]{20,200}(?=@)/g;
const webhooks =
  /(hooks\.slack\.com\/\w{1,20}\/|discord(?:app)?\.com\/api\/webhooks\/|webhook\.office\.com\/|api\.telegram\.org\/bot)[\w@:/.-]{20,}/g;

function hideInCommands(text: string): string {
  return text.replace(commandPasswords, '$1[redacted secret]');
}

const commandPasswords =
  /(\bcurl\b[^\r\n]{0,200}?\s(?:-u|--user)[ =]["']?[^\s:"']{1,60}:|\bmysql\w{0,10}\s[^\r\n]{0,200}?\s-p)[^\s"'=]{4,200}/g;

/** The value of these headers is secret whatever it looks like: for cookies, each of them. */
const headers =
  /(\bauthorization|cookie)(["']?\s{0,3}[:=]\s{0,3}["']?)([\w.-]{1,60}=[^"'\r\n]+|(?:digest|aws4)[^\r\n]+|[\w-]{1,20} +[\w.~+/=:-]{8,})/gi;

function hideHeader(whole: string, name: string, operator: string, value: string): string {
  const isKnown = /^(?:[\w.-]+=|digest|aws4|basic|bearer)/i.test(value);
  return isKnown || isRandom(value) ? `${name}${operator}[redacted credentials]` : whole;
}

const schemes = /\b(bearer|basic|plain)( {1,4})([\w.~+/=-]{8,})/gi;

function hideScheme(whole: string, scheme: string, space: string, value: string): string {
  if (/^bearer$/i.test(scheme)) return '[redacted bearer]';
  return isRandom(value) ? `${scheme}${space}[redacted credentials]` : whole;
}

/** How keys begin whose makers want them to be recognised. */
const prefixes = [
  // Code hosts, package registries and CI.
  'gh[pousr]_(?=[a-zA-Z\\d]{20})',
  'github_pat_',
  'gl(?:pat|cbt|dt|ffct|ft|imt|agent|oas|ptt|rt|soat)-',
  'GR1348941',
  'npm_(?=[a-zA-Z\\d]{30})',
  'pypi-AgE',
  'rubygems_',
  'CLOJARS_',
  'AKCp',
  'cmVmd',
  'pnu_(?=[a-zA-Z\\d]{30})',
  'pul-(?=[a-f\\d]{30})',
  'tk-us-(?=[\\w-]{40})',
  'dp\\.pt\\.',
  'HRKU-',
  'fo1_(?=[\\w-]{40})',
  'API-(?=[A-Z\\d]{26}\\b)',
  // Clouds and infrastructure.
  'A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9])(?=[A-Z2-7\\d]{16}\\b)',
  'ABSK',
  'AIza',
  'LTAI',
  'do[opr]_v1_',
  'dapi(?=[a-f0-9]{32})',
  'hv[bs]\\.(?=[\\w-]{30})',
  'sha256~',
  'v1\\.0-(?=[a-f0-9]{24}-)',
  'pscale_(?:tkn|pw|oauth)_',
  '4b1d(?=\\w{38}\\b)',
  'dt0c01\\.',
  'dnkey-',
  // Messages, mail and monitoring.
  'xox[a-z][-.]',
  'xapp-',
  'SG\\.(?=[\\w.-]{30})',
  'xkeysib-',
  'SK(?=[a-f0-9]{32}\\b)',
  'gl(?:c|sa)_(?=[a-zA-Z\\d+/]{20})',
  'sntry[su]_',
  'NR(?:AK|II|JS)-',
  // Models.
  '(?:sk|rk|pk)[-_](?:live|test|prod|proj|ant|svcacct|admin)[-_]',
  'hf_(?=[a-zA-Z\\d]{30})',
  'api_org_(?=[a-zA-Z\\d]{30})',
  'pplx-(?=[a-zA-Z\\d]{30})',
  // Payments and shops.
  'whsec_(?=[a-zA-Z\\d]{20})',
  'shp(?:at|ca|pa|ss)_',
  'shippo_(?:live|test)_',
  'sq0(?:atp|csp)-',
  'EAA[AMC](?=\\w{20})',
  'EZ[AT]K(?=\\w{54})',
  'FLWSECK_TEST-',
  'duffel_(?:test|live)_',
  // Tools of all kinds.
  'A3-(?=[A-Z\\d]{6}-)',
  'ops_eyJ',
  'AGE-SECRET-KEY-',
  'p8e-',
  'PMAK-',
  'ntn_(?=[a-zA-Z\\d]{30})',
  'lin_api_',
  'ico-(?=\\w{32}\\b)',
  'rdme_',
  'fio-u-',
  's-s4t2(?:ud|af)-',
  'sgp_(?=[a-z\\d]{16})',
  'sm_[aps]at_',
  'tfp_(?=[\\w.-]{40})',
  'eyJ(?:rIjoi|[\\w-]{8,}\\.[\\w-]{8,}\\.)',
  'ZXlK(?=\\w{30})',
  'pat(?=\\w{14}\\.[a-f\\d]{64})',
  '[ps]at\\.(?=[\\w-]{22}\\.)',
  'sc_(?=[a-z\\d]{5,30}\\.[a-z\\d]{4,6}\\.acc[_-])',
];

/** The first two characters of all of them. */
const beginnings = new Set(
  (
    '4b A3 AB AC AG AI AK AP AS CL EA EZ FL GR HR LT NR PM SG SK ZX ap cm da dn do dp dt du ey fi fo gh gi gl hf hv ic li ' +
    'np nt op p8 pa pk pn pp ps pu py rd rk ru s- sa sc sg sh sk sm sn sq tf tk v1 wh xa xk xo'
  ).split(' '),
);

const prefixed = new RegExp(`^(?:${prefixes.join('|')})[\\w.~+/=-]{8,}`);

/** Names whose value is a secret, as they end: `DB_PASSWORD`, `stripeApiKey`, `client.secret`. */
const names = [
  'pass(?:word|wd|phrase|code)',
  'secret(?:[-_. ]?(?:id|key|token))?',
  'token',
  '(?:api|access|secret|private|account|signing|encryption|license|insert|master|shared|global)[-_. ]?key(?:[-_]?id)?',
  'credentials?',
  'requirepass|identified by|auth default|bindpw',
  '(?<![a-z])(?:pwd|pass|pw|auth|otp|cvv2?|cvc2?)',
];

/** Names whose value is a secret only if it looks random. */
const weakNames = [
  '(?<![a-z])sig',
  'signature',
  '(?:connect\\.sid|sessid|sessionid|session)',
  '_key',
];

/** A name, what leads to its value (also in JSON in a string), and the value. */
const assignments = new RegExp(
  `(?:(${names.join('|')})|${weakNames.join('|')})` +
    '(\\\\{0,3}["\']?(?:(=)|\\s{0,3}(?:=>|:=|\\|\\||[:=])\\s{0,3}|\\s{1,3}value=| {1,3}|>)\\\\{0,3}(["\'`]?)(?:s%3A)?)' +
    '([^\\s"\'`,;&|<>(){}[\\]\\\\]{4,512})',
  'gi',
);

function hideTightlyAssigned(whole: string, ...found: AssignedGroups): string {
  return found[2] === undefined ? whole : hideAssigned(whole, ...found);
}

type AssignedGroups = [string | undefined, string, string | undefined, string, string];

function hideAssigned(
  whole: string,
  name: string | undefined,
  operator: string,
  tight: string | undefined,
  quote: string,
  value: string,
): string {
  const isQuoted = quote !== '';
  if (isReference(value) || (!isQuoted && value.length < 30 && typeName.test(value))) return whole;
  const isClear = name !== undefined && (tight !== undefined || (isQuoted && operator.length > 2));
  if (isClear ? !isNoWord(value) : !isRandom(value)) return whole;
  // A space alone and other names say little: the value must look like a secret by itself.
  if (operator.trim() === '' && value.length < 8) return whole;
  if (name === undefined && (value.length < 16 || tight === undefined)) return whole;
  return `${whole.slice(0, whole.length - value.length)}[redacted secret]`;
}

/** Letters and digits. */
export const isRandom = (text: string): boolean => /\d/.test(text) && /[A-Za-z]/.test(text);

/** Has more than the letters of a word. */
const isNoWord = (text: string): boolean =>
  /[\d+/=!@#$%^*~]/.test(text) || /[a-z][A-Z].*[a-z][A-Z]/.test(text);

const typeName = /^[A-Z][a-z]+(?:[A-Z][a-z]*\d?)+$/;
const reference = /^(?:\.{0,2}\/|\d{1,3}$|\$|%[a-z]|https?:|sha\d|base64)/;
const member = /^[A-Za-z_$]\w*(?:\.[A-Za-z_]\w*)+$/;

/** A path, a variable, a small number, or a member of an object in a program. */
function isReference(text: string): boolean {
  return reference.test(text) || (text.length < 40 && member.test(text));
}

/** Where groups of digits may be the number of a card. */
const digitGroups =
  /(?<![\w.-])[2-6]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}(?![\w.-])|(?<![\w.-])3[47]\d{13}(?![\w.-])/g;

function hideCard(text: string): string {
  return isCardNumber(text.replaceAll(/[ -]/g, '')) ? '[redacted card]' : text;
}

const issued = /^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12})$/;

/** A number in the ranges of the issuers that passes the check of Luhn. */
export function isCardNumber(digits: string): boolean {
  if (!issued.test(digits)) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const value = Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
