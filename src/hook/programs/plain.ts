import { secretVariable } from '../secret-paths.ts';
import { type ExpandedWord, exact, joinFields, pattern, token, unknown } from '../shell/field.ts';
import { baseName } from '../shell/path.ts';
import { nameList, sortArguments } from './options.ts';
import type { KnownProgram, Programs, ShellPort } from './program.ts';

const silent: KnownProgram = () => undefined;

/** They print or wait, and touch nothing. */
const harmless = [
  ...nameList('test [ sleep ls ll la dir tree exa eza stat file df free uptime ps top htop'),
  ...nameList('pgrep pidof lsof ss netstat w who last groups locale tty stty tput clear reset'),
  ...nameList(`
    cal history type whereis whatis apropos help lscpu lsblk lsusb lspci lsmod vmstat
    iostat
  `),
  ...nameList(`
    arch getconf sw_vers cloc tokei scc neofetch figlet cowsay yes bc factor
    numfmt
  `),
  ...nameList(`
    dirs logname users nproc lsb_release ipcs mountpoint findmnt pstree ulimit du
    cksum say
  `),
];

const tokenPrinters = nameList('date whoami id hostname uname seq expr uuidgen mcookie logname');

/** What `ls` prints: names without a slash, or paths below the directory. */
function namesListed(args: readonly ExpandedWord[]): ExpandedWord {
  const isPlain = args.every(
    ({ kind, text }) =>
      kind !== 'unknown' &&
      (/^-[1trSUXd]+$/.test(text) || /^(?!.*\.\.)(?:\.\/)?[\w*][\w.*/@+-]*$/.test(text)),
  );
  if (!isPlain) return unknown();
  const [only, ...more] = args.filter(({ text }) => !text.startsWith('-'));
  if (only && more.length === 0 && /\*\.\w+$/.test(only.text)) return only;
  return args.some(({ text }) => text.includes('/')) ? pattern('./**/*') : pattern('*');
}

/** Every variable, and with them tokens and passwords. */
export function showsEnvironment(shell: ShellPort): undefined {
  shell.add({ kind: 'secret.read', values: { paths: ['environment'] } });
}

export const plainPrograms: Programs = {
  ...Object.fromEntries(harmless.map((name) => [name, silent])),
  ...Object.fromEntries(tokenPrinters.map((name) => [name, () => token])),
  ls: ({ args }) => namesListed(args),
  date: (call) => {
    const { has, valuesOf } = sortArguments(call.args, nameList('d date f file r reference s set'));
    if (has('s', 'set'))
      call.shell.add({ kind: 'machine.change', values: { operations: ['set the clock'] } });
    for (const file of valuesOf('f', 'file')) call.shell.reads(file);
    return token;
  },
  dc: ({ args, stdin, shell }) => {
    if (
      stdin ||
      args.some(({ kind, text }) => kind !== 'exact' || /!|^-f|^--file|^[^-]/.test(text))
    )
      shell.unresolved('dc can run commands');
    return unknown();
  },
  getent: ({ args: [database, ...keys], shell }) => {
    if (/^(?:ahosts|hosts)/.test(database?.text ?? ''))
      for (const key of keys) shell.connects(key.text);
    return unknown();
  },
  file: ({ args, shell }) => {
    const { valuesOf } = sortArguments(args, ['f', 'files-from', 'm', 'magic-file']);
    for (const file of valuesOf('f', 'files-from', 'm', 'magic-file')) shell.reads(file);
    return unknown();
  },
  hostname: ({ args, shell }) => {
    if (args.some(({ text }) => !text.startsWith('-')))
      shell.add({ kind: 'machine.change', values: { operations: ['set the host name'] } });
    return token;
  },
  // In the style of BSD, `e` shows the environment of each process.
  ps: ({ args, shell }) => {
    if (args.some(({ text }) => /^[a-zA-Z]*e[a-zA-Z]*$/.test(text) && !/^(?:pid|user)/.test(text)))
      showsEnvironment(shell);
    return unknown();
  },
  history: ({ args, shell }) => {
    for (const { text } of args)
      if (!/^-?\d+$|^-c$/.test(text)) shell.unresolved('history reads or writes a file');
    return unknown();
  },
  nproc: () => token,
  // The name stays visible to `kill`.
  pgrep: ({ args }) => {
    const own = args.find(({ text }) =>
      /surety|keeper|claude|codex|cursor|gemini|opencode/i.test(text),
    );
    return own ? unknown(own.text) : token;
  },
  echo: ({ args, shell }) => {
    revealed(args, shell);
    const isFlag = ({ kind, text }: ExpandedWord): boolean =>
      kind === 'exact' && /^-[neE]+$/.test(text);
    const start = args.findIndex((field) => !isFlag(field));
    const flags = (start < 0 ? args : args.slice(0, start)).map(({ text }) => text).join('');
    const text = joinFields(start < 0 ? [] : args.slice(start), ' ');
    const printed = flags.includes('e') && text.kind === 'exact' ? unescaped(text.text) : text;
    return flags.includes('n') ? printed : joinFields([printed, exact('\n')]);
  },
  printf: ({ args, shell }) => {
    revealed(args, shell);
    const [first, second] = args;
    if (first?.text === '-v') return unknown();
    const words = first?.text === '--' ? args.slice(1) : args;
    return second || first ? formatted(words) : unknown();
  },
  printenv: ({ args, shell }) => {
    if (args.every(({ text }) => text.startsWith('-'))) showsEnvironment(shell);
    for (const { text } of args)
      if (secretVariable.test(text))
        shell.add({ kind: 'secret.read', values: { paths: [`environment:${text}`] } });
    return unknown();
  },
  basename: ({ args: [path, suffix] }) => {
    if (path?.kind !== 'exact') return path ? token : undefined;
    const name = baseName(path.text.replace(/\/+$/, ''));
    return exact(
      `${suffix && name.endsWith(suffix.text) ? name.slice(0, -suffix.text.length) : name}\n`,
    );
  },
  dirname: ({ args: [path] }) => {
    if (!path || path.kind === 'unknown') return undefined;
    const above = path.text.includes('/') ? path.text.replace(/\/[^/]*$/, '') || '/' : '.';
    return { kind: path.kind, text: `${above}\n` };
  },
  realpath: ({ args, shell }) => resolved(args.at(-1), shell.paths),
  readlink: ({ args, shell }) => (args.length > 1 ? resolved(args.at(-1), shell.paths) : undefined),
  which: silent,
  man: ({ args, shell }) => {
    if (sortArguments(args, ['P', 'pager', 'H', 'html', 'C']).has('P', 'pager', 'H', 'html', 'C'))
      shell.unresolved('man runs another program');
    return undefined;
  },
  mktemp: ({ args, shell }) => {
    const { operands, valuesOf } = sortArguments(args, ['p', 'tmpdir', 'suffix']);
    const [template] = operands;
    const [directory] = valuesOf('p', 'tmpdir');
    if (!template && !directory) return pattern('/tmp/tmp.*');
    const made = template?.kind === 'exact' ? template.text.replace(/X{3,}/, '*') : '*';
    const path = made.startsWith('/') ? made : `${directory?.text ?? '/tmp'}/${made}`;
    shell.writes(pattern(path));
    return pattern(path);
  },
};

function resolved(
  path: ExpandedWord | undefined,
  paths: (field: ExpandedWord) => readonly string[] | undefined,
): ExpandedWord {
  const found = path && paths(path);
  const [only] = found ?? [];
  if (only === undefined || found?.length !== 1) return unknown();
  return only.includes('*') ? pattern(only) : exact(`${only}\n`);
}

/** Printing a secret of the environment shows it to the model. */
function revealed(
  args: readonly ExpandedWord[],
  shell: Parameters<KnownProgram>[0]['shell'],
): undefined {
  for (const { kind, text } of args) {
    // Another name decides which variable it is.
    if (kind === 'unknown' && /\$\{!\w+[@*]?\}/.test(text))
      shell.add({ kind: 'secret.read', values: { paths: ['environment'] } });
    const [, name] = kind === 'unknown' ? (/\$\{?!?(\w+)/.exec(text) ?? []) : [];
    if (name !== undefined && secretVariable.test(name))
      shell.add({ kind: 'secret.read', values: { paths: [`environment:${name}`] } });
  }
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  E: '\x1b',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

export function unescaped(text: string): ExpandedWord {
  if (/\\c/.test(text)) return unknown(text);
  const code = (digits: string, base: number): string =>
    String.fromCodePoint(Number.parseInt(digits, base) & 0x10ffff);
  return exact(
    text.replace(
      /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(0?[0-7]{1,3})|(.))/gs,
      (whole, hex, short, long, octal, other) => {
        if (hex ?? short ?? long) return code(hex ?? short ?? long, 16);
        if (octal !== undefined) return code(octal, 8);
        return escapes[other] ?? whole;
      },
    ),
  );
}

/** `printf` with `%s`, `%b` and `%%`; the format is used again while there are arguments. */
function formatted([format, ...values]: readonly ExpandedWord[]): ExpandedWord {
  if (format?.kind !== 'exact') return unknown(format?.text);
  const shape = unescaped(format.text);
  if (shape.kind !== 'exact' || /%(?!%|s|b)/.test(shape.text)) return unknown(shape.text);
  const slots = shape.text.match(/%[sb]/g)?.length ?? 0;
  const rounds = slots === 0 ? 1 : Math.max(1, Math.ceil(values.length / slots));
  const used: ExpandedWord[] = [];
  let next = 0;
  const text = Array.from({ length: rounds }, () =>
    shape.text.replace(/%(%|s|b)/g, (_, slot: string) => {
      if (slot === '%') return '%';
      const value = values[next++] ?? exact('');
      const shown = slot === 'b' && value.kind === 'exact' ? unescaped(value.text) : value;
      used.push(shown);
      return shown.text;
    }),
  ).join('');
  return { kind: joinFields(used).kind, text };
}
