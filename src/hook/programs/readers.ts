import { type ExpandedWord, exact, joinFields, pattern, unknown } from '../shell/field.ts';
import { acceptedBy, takingOf } from './accepted/check-options.ts';
import { nameList, sortArguments } from './options.ts';
import type { KnownProgram, Programs } from './program.ts';

/** Programs that read the files in their arguments and print something about them. */
const fileReaders = [
  ...nameList('cat head tail less more wc uniq cut nl od xxd hexdump strings tac rev fold fmt'),
  ...nameList(`
    column paste join comm cmp diff colordiff sdiff vimdiff md5sum sha1sum sha256sum
    sha512sum shasum
  `),
  ...nameList(`
    b2sum md5 sum zcat bzcat xzcat zless zgrep bat batcat expand unexpand pr look
    iconv
  `),
  ...nameList(`
    base64 base32 tr csvlook csvcut xmllint readelf objdump nm ldd size exiftool
    identify pdftotext glow mdcat delta gron fx lolcat ts tsort shuf open xdg-open
    code wl-copy pbcopy xclip
  `),
];

const valueOptions = nameList(`
  n c lines bytes d f F s w delimiter fields characters width U unified color m N j t
  l T
`);

/** These pass lines on: what they print is part of what they read. */
const filters = new Set(['cat', 'head', 'tail', 'uniq', 'tac', 'less', 'more', 'shuf']);

const reader: KnownProgram = ({ name, args, stdin, shell }) => {
  const taking = acceptedBy(name) ? takingOf(name) : valueOptions;
  const { operands, valuesOf, has } = sortArguments(args, taking);
  const files = operands.filter(({ text }) => text !== '-');
  const isRecursive = has('r', 'recursive') && /diff$/.test(name);
  for (const file of name === 'tr' ? [] : files) shell.reads(file, isRecursive);
  for (const file of valuesOf('files0-from', 'from-file')) shell.reads(file);
  // An option of one program takes a value and the same one of another does not.
  for (const value of valuesOf(...taking))
    if (value.kind === 'exact' && /[/~]|^\.\w/.test(value.text)) shell.reads(value);
  if (/^(?:uniq|xxd|pdftotext)$/.test(name) && operands[1]) shell.writes(operands[1]);
  for (const file of name === 'shuf' ? valuesOf('o', 'output') : []) shell.writes(file);
  if (name === 'ldd') for (const file of files) shell.runFile(file, []);
  if (name === 'code' && /^(?:tunnel|serve-web|ext|chat)$/.test(operands[0]?.text ?? ''))
    shell.unresolved(`code ${operands[0]?.text} opens the machine to others`);
  if (name === 'code' && has('install-extension'))
    shell.add({ kind: 'machine.change', values: { operations: ['install an extension'] } });
  if (name === 'xxd' && has('r') && operands[1]) shell.writes(operands[1]);
  if (name === 'iconv')
    for (const file of sortArguments(args, ['o', 'output', 'f', 't']).valuesOf('o', 'output'))
      shell.writes(file);
  if (name === 'less' || name === 'more') checkPager(args, shell);
  if (files.length > 0 && name !== 'tr') return unknown();
  return transformed(name, args, stdin);
};

function checkPager(
  args: readonly ExpandedWord[],
  shell: Parameters<KnownProgram>[0]['shell'],
): undefined {
  if (args.some(({ text }) => text.startsWith('+')))
    shell.unresolved('a pager runs a command of its own');
}

/** Text that goes through, as far as it can be computed: obfuscations use exactly these. */
function transformed(
  name: string,
  args: readonly ExpandedWord[],
  stdin: ExpandedWord | undefined,
): ExpandedWord {
  if (!stdin) return unknown();
  if (stdin.kind === 'pattern') return keepsNames(name, args) ? stdin : unknown();
  if (stdin.kind !== 'exact') return unknown();
  const flags = args.map(({ text }) => text);
  if (name === 'cat' && flags.every((flag) => flag === '-')) return stdin;
  if (name === 'rev')
    return exact(
      stdin.text
        .split('\n')
        .map((line) => [...line].reverse().join(''))
        .join('\n'),
    );
  if (
    /^base64$/.test(name) &&
    flags.some((flag) => /^(?:-d|-D|-di|-id|--decode|--d\w*)$/.test(flag))
  ) {
    return exact(Buffer.from(stdin.text, 'base64').toString('utf8'));
  }
  if (
    name === 'xxd' &&
    flags.some((flag) => /^-\w*r/.test(flag)) &&
    flags.some((flag) => /p/.test(flag))
  ) {
    return exact(Buffer.from(stdin.text.replace(/\s/g, ''), 'hex').toString('utf8'));
  }
  return unknown();
}

/** Whether names stay names: the end of a path is another path, and `tr` can make a slash. */
function keepsNames(name: string, args: readonly ExpandedWord[]): boolean {
  const texts = args.map(({ text }) => text);
  if (name === 'tr')
    return texts.every((text) =>
      /^(?:-d|\\[nrt0]| |[a-zA-Z]-[a-zA-Z]|\[:(?:upper|lower):\])$/.test(text),
    );
  if (name === 'tail' && texts.some((text) => /^-\w*c|^--b|^\+?-?\d*c/.test(text))) return false;
  return filters.has(name);
}

/** Programs whose first operand is no file: a pattern, a program of their own. */
const search: KnownProgram = ({ name, args, stdin, shell }) => {
  const taking = nameList(`
    e regexp f file A B C m max-count include exclude exclude-dir include-dir g glob t
    type T type-not color colour context after-context before-context j threads sort
    path-separator r replace M max-columns E pre pre-glob max-depth maxdepth d iglob
  `);
  const isRipgrep = name === 'rg' || name === 'ag' || name === 'ack';
  const { operands, has, valuesOf, isUnclear } = sortArguments(
    args,
    isRipgrep
      ? taking
      : taking.filter((option) => !['r', 'E', 'T', 't', 'g', 'j', 'M'].includes(option)),
  );
  if (isRipgrep && has('pre', 'hostname-bin')) shell.unresolved(`${name} runs another program`);
  for (const file of valuesOf('f', 'file')) shell.reads(file);
  // Files that are ignored are usually those with secrets.
  if (isRipgrep && has('hidden', 'u') && has('no-ignore', 'u')) shell.reads(exact('.env'));
  for (const shape of valuesOf('include', 'g', 'glob', 'iglob'))
    if (shape.text.startsWith('.')) shell.reads(pattern(`./${shape.text}`));
  const files = has('e', 'regexp', 'f', 'file', 'files') ? operands : operands.slice(1);
  const isRecursive = isRipgrep || has('r', 'R', 'recursive', 'dereference-recursive');
  for (const file of files) shell.reads(file, isRecursive);
  if (isRecursive && files.length === 0 && !stdin) shell.reads(exact('.'), true);
  const named = has('l', 'L', 'files-with-matches', 'files-without-match', 'files');
  const isHidden = !isRipgrep || has('hidden', '.', 'u');
  if (named && !isUnclear) return below(files.length > 0 ? files : [exact('.')], isHidden);
  return stdin?.kind === 'pattern' && files.length === 0 ? stdin : unknown();
};

/**
 * Names below one of these directories: `**\/*` without hidden files, `**\/**` with them.
 */
export function below(places: readonly ExpandedWord[], isHidden = false): ExpandedWord {
  const [only] = places;
  if (places.length !== 1 || !only || only.kind === 'unknown') return unknown();
  const place = only.text === '' ? '.' : only.text.replace(/\/+$/, '');
  return pattern(`${place}/**/${isHidden ? '**' : '*'}`);
}

const query: KnownProgram = ({ name, args, shell }) => {
  const { operands, has, valuesOf } = sortArguments(
    args,
    nameList('arg argjson indent slurpfile rawfile f from-file L o p output-format input-format'),
  );
  for (const file of valuesOf('f', 'from-file', 'slurpfile', 'rawfile')) shell.reads(file);
  const files = has('f', 'from-file', 'n') && !has('n') ? operands : operands.slice(1);
  const isEdit = name !== 'jq' && has('i', 'inplace', 'in-place');
  for (const file of files) {
    if (has('arg', 'argjson', 'args', 'jsonargs')) continue;
    if (isEdit) shell.writes(file);
    else shell.reads(file);
  }
  if (has('L')) shell.unresolved(`${name} loads modules from elsewhere`);
  const slurped = args.findIndex(({ text }) => /^--(?:slurpfile|rawfile)$/.test(text));
  const [given] = slurped < 0 ? [] : args.slice(slurped + 2);
  if (given) shell.reads(given);
  if (
    args.some(({ text }) =>
      /(?<![.\w])(?:env|strenv|envsubst)\b(?!\s*[:=])|\$ENV|\bload\w*\(|\$__prog/.test(text),
    )
  )
    shell.unresolved(`${name} reads the environment or a file`);
  return unknown();
};

export const readerPrograms: Programs = {
  ...Object.fromEntries(fileReaders.map((name) => [name, reader])),
  ...Object.fromEntries(
    ['grep', 'egrep', 'fgrep', 'rg', 'ag', 'ack', 'zgrep', 'pcregrep', 'ugrep'].map((name) => [
      name,
      search,
    ]),
  ),
  ...Object.fromEntries(['jq', 'yq', 'dasel', 'xq', 'tomlq'].map((name) => [name, query])),
  sort: ({ args, stdin, shell }) => {
    const { operands, valuesOf, has } = sortArguments(
      args,
      nameList(`
      o output k key t S T parallel compress-program files0-from field-separator
      temporary-directory
    `),
    );
    if (has('compress-program')) shell.unresolved('sort runs another program');
    for (const file of valuesOf('o', 'output')) shell.writes(file);
    for (const file of [...operands, ...valuesOf('files0-from')]) shell.reads(file);
    return operands.length === 0 && stdin?.kind === 'pattern' ? stdin : unknown();
  },
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
};

/** awk is a language: it can run commands and write files. */
function awk({ args, shell }: Parameters<KnownProgram>[0]): ExpandedWord {
  const { operands, valuesOf, has } = sortArguments(
    args,
    nameList('F v f file field-separator assign e source i include l load E exec'),
  );
  if (has('l', 'load', 'i', 'include', 'E', 'exec')) shell.unresolved('awk loads code');
  for (const file of valuesOf('f', 'file')) shell.runFile(file, []);
  const scripts = [
    ...valuesOf('e', 'source'),
    ...(has('f', 'file', 'e', 'source') ? [] : operands.slice(0, 1)),
  ];
  for (const { kind, text } of scripts) {
    if (
      kind === 'unknown' ||
      /system|getline|\||>|@|ENVIRON|ARG[VC]|\bclose\b/.test(withoutComparisons(text)) ||
      /\bprintf?\b[^;}\n(]*>/.test(withoutComparisons(text, false))
    )
      shell.add({ kind: 'code.inline', values: { languages: ['awk'] } });
  }
  for (const file of has('f', 'file', 'e', 'source') ? operands : operands.slice(1)) {
    if (!/^[A-Za-z_]\w*=/.test(file.text)) shell.reads(file);
  }
  return unknown();
}

/** `$1 > 5` and `||` are no redirections or pipes; strings and patterns are no code. */
function withoutComparisons(text: string, isWhole = true): string {
  const bare = text
    .replace(/"(?:[^"\\]|\\.)*"/g, (string) => (/^"(?:\/|\.\.)/.test(string) ? string : '""'))
    .replace(/\|\|/g, ' ')
    .replace(/>=|=>/g, ' ');
  if (!isWhole) return bare;
  return bare
    .replace(/(?:\$?\w+|\)|\$NF|\])\s*>\s*(?:\d+|\$\w+|\w+\s*[{)&])/g, ' ')
    .replace(/\/(?:[^/\\\n]|\\.)*\//g, '//');
}

/** sed writes with -i, `w` and `s///w`, and runs commands with `e`. */
function sed({ args, stdin, shell }: Parameters<KnownProgram>[0]): ExpandedWord {
  const isInPlace = args.some(({ text }) => /^-[nErsuz]*i|^--in-place/.test(text));
  const inPlace = args.findIndex(({ text }) => text === '-i');
  // BSD sed takes an empty suffix as the next argument.
  const given =
    inPlace >= 0 && args[inPlace + 1]?.text === ''
      ? args.filter((_, index) => index !== inPlace + 1)
      : args;
  const plain = given.map((field) => (/^-[nErsuz]*i/.test(field.text) ? exact('-i') : field));
  const { operands, valuesOf, has } = sortArguments(
    plain,
    nameList('e expression f file l line-length'),
  );
  for (const file of valuesOf('f', 'file')) shell.runFile(file, []);
  const hasScript = has('e', 'expression', 'f', 'file');
  const scripts = [...valuesOf('e', 'expression'), ...(hasScript ? [] : operands.slice(0, 1))];
  const isOdd = scripts.some((script) => script.kind !== 'unknown' && sedDoesMore(script.text));
  if (isOdd) shell.add({ kind: 'code.inline', values: { languages: ['sed'] } });
  if (
    scripts.some(({ kind, text }) => kind === 'unknown' && !/^s(.).*\1.*\1[gIip0-9]*$/s.test(text))
  )
    shell.add({ kind: 'code.inline', values: { languages: ['sed'] } });
  for (const file of hasScript ? operands : operands.slice(1)) {
    if (isInPlace) shell.writes(file);
    else shell.reads(file);
  }
  return stdin?.kind === 'pattern' && !isOdd && /^-?n?\d+p?$/.test(joinFields(scripts).text)
    ? stdin
    : unknown();
}

/** Whether a script of sed has a command or flag that writes, reads or runs: w, W, r, R, e. */
function sedDoesMore(script: string): boolean {
  let rest = script;
  for (const part of script.matchAll(/(?:^|[;{}\n]|\d|[$/!]\s*)\s*[sy]([^\s\w\\])/g)) {
    const mark = part[1] as string;
    const start = (part.index ?? 0) + part[0].length;
    const end = flagsAfter(script, start, mark);
    if (end < 0) return true;
    const [flags = ''] = /^[A-Za-z0-9]*/.exec(script.slice(end)) ?? [];
    if (/[ewW]/.test(flags)) return true;
    rest = rest.replace(
      script.slice((part.index ?? 0) + part[0].length - 2, end + flags.length),
      ' ',
    );
  }
  const withoutAddresses = rest
    .replace(/\/(?:[^/\\\n]|\\.)*\/[IM]*/g, '')
    .replace(/[aic]\\?[^\n]*/g, (text) => (/^[aic](?:\\|\s)/.test(text) ? '' : text));
  return /(?:^|[\s;{}!,0-9$])[ewWrR](?:[\s/.~\w]|$)/.test(withoutAddresses);
}

function flagsAfter(script: string, start: number, mark: string): number {
  let seen = 0;
  for (let at = start; at < script.length; at++) {
    if (script[at] === '\\') at++;
    else if (script[at] === mark && ++seen === 2) return at + 1;
  }
  return -1;
}
