import { secretVariable } from '../secret-paths.ts';
import { checkEnvironment } from './environment.ts';
import { type ExpandedWord, exact, joinFields, unknown } from './field.ts';
import type { Scope } from './scope.ts';
import type { Shell } from './shell.ts';

interface BuiltinCall {
  readonly shell: Shell;
  readonly scope: Scope;
  readonly args: readonly ExpandedWord[];
  readonly stdin: ExpandedWord | undefined;
}

type Builtin = (call: BuiltinCall) => ExpandedWord;

const silent: Builtin = () => exact('');

/** Builtins that change the shell itself. Those that only print are with the programs. */
export const builtins: Readonly<Record<string, Builtin>> = {
  ...Object.fromEntries(
    [
      ':',
      'true',
      'false',
      'wait',
      'exit',
      'return',
      'break',
      'continue',
      'umask',
      'ulimit',
      'jobs',
      'bg',
      'fg',
      'disown',
      'times',
      'logout',
      'suspend',
    ].map((name) => [name, silent]),
  ),
  cd: changeDirectory,
  pushd: changeDirectory,
  popd: ({ scope }) => {
    scope.directories = [
      ...new Set([
        ...scope.directories,
        ...(scope.read('OLDPWD')?.kind === 'exact'
          ? [(scope.read('OLDPWD') as ExpandedWord).text]
          : []),
      ]),
    ];
    return exact('');
  },
  pwd: ({ scope }) =>
    scope.directories.length === 1 ? exact(`${scope.directories[0]}\n`) : unknown(),
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  unset: ({ scope, args }) => {
    for (const { text } of args) {
      scope.variables.delete(text);
      scope.arrays.delete(text);
      scope.functions.delete(text);
      // Without it, words are split as usual.
      if (text === 'IFS') scope.assign('IFS', exact(' \t\n'));
    }
    return exact('');
  },
  set: ({ shell, scope, args }) => {
    // Without arguments it prints every variable.
    if (args.length === 0)
      shell.settings.effects.add({ kind: 'secret.read', values: { paths: ['environment'] } });
    const start = args.findIndex(({ text }) => text === '--' || !/^[-+]/.test(text));
    if (start >= 0)
      scope.positional = args[start]?.text === '--' ? args.slice(start + 1) : args.slice(start);
    return unknown();
  },
  shift: ({ scope, args: [by] }) => {
    scope.positional = scope.positional.slice(Number(by?.text ?? 1) || 1);
    return exact('');
  },
  shopt: ({ shell, args }) => {
    if (args.some(({ text }) => text === 'dotglob'))
      shell.unresolved('patterns match hidden files, too');
    return exact('');
  },
  hash: ({ shell, args }) => {
    if (args.some(({ text }) => /^-\w*p/.test(text)))
      shell.unresolved('hash lets a name stand for another program');
    return exact('');
  },
  alias: ({ scope, args }) => {
    for (const { text } of args) {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (name !== undefined) scope.aliases.set(name, value ?? '');
    }
    return exact('');
  },
  unalias: ({ scope, args }) => {
    for (const { text } of args) scope.aliases.delete(text);
    return exact('');
  },
  eval: ({ shell, scope, args }) => {
    const text = joinFields(args, ' ');
    if (text.kind === 'exact') return shell.script(text.text, scope);
    shell.unresolved('eval runs text that is not known before the command runs');
    return unknown();
  },
  source,
  '.': source,
  exec: ({ shell, scope, args, stdin }) => {
    const start = args.findIndex(({ text }) => !/^-[cl]+$/.test(text));
    const words = start < 0 ? [] : args.slice(args[start]?.text === '-a' ? start + 2 : start);
    return shell.runWords(words, scope, { stdin });
  },
  command: ({ shell, scope, args, stdin }) => {
    const [first] = args;
    if (first && /^-[vV]+$/.test(first.text)) return unknown();
    const words = args.filter((_, index) => index > 0 || !/^-p?-?$/.test(first?.text ?? ''));
    const inner = scope.copy();
    inner.functions.clear();
    return shell.runWords(words, inner, { stdin });
  },
  builtin: ({ shell, scope, args, stdin }) => {
    const [first] = args;
    if (first?.kind === 'exact' && Object.hasOwn(builtins, first.text))
      return shell.runWords(args, scope, { stdin });
    return unknown();
  },
  trap: ({ shell, scope, args }) => {
    const words = args.filter(({ text }) => text !== '--');
    const [action] = words;
    if (words.length < 2 || !action || action.text === '-') return exact('');
    if (action.kind === 'exact') return shell.script(action.text, scope.copy());
    shell.unresolved('trap runs text that is not known before the command runs');
    return exact('');
  },
  read: ({ shell, scope, args, stdin }) => {
    const names = args.filter(({ text }) => /^[A-Za-z_]\w*$/.test(text));
    for (const { text } of names) checkEnvironment(new Map([[text, unknown()]]), shell, scope);
    // A line of a list of names is one of them, if it is not split or read from elsewhere.
    const isLine = names.length === 1 && args.every(({ text }) => !/^-\w*[ua]/.test(text));
    for (const { text } of names)
      scope.assign(text, isLine && stdin?.kind === 'pattern' ? stdin : unknown(`$${text}`));
    if (args.every(({ text }) => text.startsWith('-'))) scope.assign('REPLY', unknown('$REPLY'));
    return exact('');
  },
  printf: ({ shell, scope, args, stdin }) => {
    const output = shell.runProgram('printf', args, scope, { stdin });
    const [flag, name, ...words] = args;
    const target = flag?.text === '-v' ? name?.text : /^-v(.+)$/.exec(flag?.text ?? '')?.[1];
    if (target === undefined) return output;
    const rest = flag?.text === '-v' ? words : args.slice(1);
    const value = shell.runProgram('printf', rest, scope, { stdin });
    scope.assign(target, value);
    checkEnvironment(new Map([[target, value]]), shell, scope);
    return exact('');
  },
  mapfile: assignList,
  readarray: assignList,
  getopts: ({ scope, args: [, name] }) => {
    if (name) scope.assign(name.text, unknown(`$${name.text}`));
    scope.assign('OPTARG', unknown('$OPTARG'));
    return exact('');
  },
  let: ({ shell, args }) => {
    if (args.some(({ kind, text }) => kind !== 'exact' || /[$`[]/.test(text)))
      shell.unresolved('let evaluates text that is not known');
    return exact('');
  },
};

for (const name of ['enable', 'bind', 'complete', 'compgen', 'compopt', 'fc', 'caller']) {
  (builtins as Record<string, Builtin>)[name] = ({ shell, args }) => {
    if (args.length > 0) shell.unresolved(`the builtin ${name} can load or run something else`);
    return unknown();
  };
}

/** After it, both directories are possible unless the new one is known to exist. */
function changeDirectory({ shell, scope, args }: BuiltinCall): ExpandedWord {
  const before = scope.directories;
  const [target] = args.filter(({ text }) => !/^-[LPe@n]+$/.test(text) && text !== '--');
  const to = target?.text === '-' ? scope.read('OLDPWD') : (target ?? scope.read('HOME'));
  const found = to && shell.port(scope).paths(to);
  if (!found) {
    shell.unresolved(
      `it changes to a directory that is not known: ${JSON.stringify(target?.text ?? '')}`,
    );
    return exact('');
  }
  scope.directories = found;
  scope.assign('OLDPWD', before.length === 1 ? exact(before[0] as string) : unknown('$OLDPWD'));
  const [only] = found;
  scope.assign('PWD', found.length === 1 && only !== undefined ? exact(only) : unknown('$PWD'));
  return exact('');
}

function declare({ shell, scope, args }: BuiltinCall): ExpandedWord {
  const isListing = args.length === 0 || args.some(({ text }) => /^-\w*[px]/.test(text));
  if (isListing && args.every(({ text }) => text.startsWith('-')))
    shell.settings.effects.add({ kind: 'secret.read', values: { paths: ['environment'] } });
  for (const { text } of isListing ? args : [])
    if (secretVariable.test(text))
      shell.settings.effects.add({
        kind: 'secret.read',
        values: { paths: [`environment:${text}`] },
      });
  for (const { kind, text } of args) {
    const [, name, plus, value] = /^([A-Za-z_]\w*)(\+?)=(.*)$/s.exec(text) ?? [];
    if (/^-\w*n/.test(text)) shell.unresolved('a variable stands for another one');
    if (name === undefined) {
      if (kind === 'unknown' && !text.startsWith('$'))
        shell.unresolved('a variable is declared whose name is not known');
      continue;
    }
    const field = plus ? unknown(`$${name}`) : { kind, text: value ?? '' };
    scope.assign(name, field);
    checkEnvironment(new Map([[name, field]]), shell, scope);
  }
  return unknown();
}

function source({ shell, scope, args: [file, ...rest] }: BuiltinCall): ExpandedWord {
  if (!file) return exact('');
  const { home } = shell.settings;
  const known = [
    `${home}/.nvm/nvm.sh`,
    `${home}/.bashrc`,
    `${home}/.profile`,
    `${home}/.bash_profile`,
    `${home}/.zshrc`,
    `${home}/.cargo/env`,
    '/etc/profile',
  ];
  if (file.kind === 'exact' && known.includes(file.text)) return exact('');
  shell.runFile({ file, args: rest, isShell: true }, scope);
  return unknown();
}

function assignList({ shell, scope, args }: BuiltinCall): ExpandedWord {
  if (
    args.some(({ kind, text }) => /^-\w*C/.test(text) || (kind === 'unknown' && !/^\w/.test(text)))
  )
    shell.unresolved('mapfile runs another command');
  const name = args.filter(({ text }) => !text.startsWith('-')).at(-1)?.text ?? 'MAPFILE';
  scope.variables.delete(name);
  scope.arrays.set(name, [unknown(`$${name}`)]);
  return exact('');
}
