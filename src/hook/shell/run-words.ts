import { findProgram, isProjectTool } from '../programs/index.ts';
import { builtins } from './builtins.ts';
import { checkEnvironment } from './environment.ts';
import { type ExpandedWord, exact, unknown } from './field.ts';
import { baseName } from './path.ts';
import type { Scope } from './scope.ts';
import type { Shell, Streams } from './shell.ts';

const systemDirectory =
  /^(?:\/usr(?:\/local)?)?\/s?bin\/|^\/opt\/(?:homebrew|local)\/s?bin\/|^\/(?:home\/[^/]+|root|Users\/[^/]+)\/(?:\.cargo|\.local|go|\.bun|\.deno|\.volta|\.pyenv\/shims|\.rbenv\/shims)(?:\/bin)?\//;

/** A simple command, after expansion. Returns what it prints, if that is known. */
export function runWords(
  shell: Shell,
  words: readonly ExpandedWord[],
  scope: Scope,
  streams: Streams,
): ExpandedWord {
  const [first, ...args] = words;
  checkEnvironment(streams.environment ?? new Map(), shell, scope);
  if (!first) return exact('');
  if (first.kind !== 'exact') {
    shell.unresolved(
      `the program ${JSON.stringify(first.text.slice(0, 120))} is not known before the command runs`,
    );
    return unknown();
  }
  const name = first.text;
  if (args.some(({ text }) => /^(?:--[\w-]+=)?data:[\w-]+\/[\w-]+[;,]/.test(text)))
    shell.unresolved('an argument contains code as a data address');
  const alias = scope.aliases.get(name);
  if (alias !== undefined) runAlias(shell, alias, args, scope);
  const own = scope.functions.get(name);
  if (own) return runFunction(shell, own, args, scope, streams);
  const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
  if (builtin) return builtin({ shell, scope, args, stdin: streams.stdin });
  return runProgram(shell, { name, args }, scope, streams);
}

function runAlias(
  shell: Shell,
  text: string,
  args: readonly ExpandedWord[],
  scope: Scope,
): undefined {
  const quoted = args.map((field) =>
    field.kind === 'exact' ? quote(field.text) : '"$SURETY_UNKNOWN"',
  );
  const inner = scope.copy();
  inner.aliases.clear();
  shell.script([text, ...quoted].join(' '), inner);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function runFunction(
  shell: Shell,
  { body }: { readonly body: Parameters<Shell['node']>[0] },
  args: readonly ExpandedWord[],
  scope: Scope,
  streams: Streams,
): ExpandedWord {
  const before = scope.positional;
  scope.positional = args;
  const output = shell.deeper(() => shell.node(body, scope, streams));
  scope.positional = before;
  return output;
}

interface NamedProgram {
  readonly name: string;
  readonly args: readonly ExpandedWord[];
}

/** `./gradlew` and `vendor/bin/phpunit` are tools of the project, and take the same arguments. */
function wrapperOf(name: string): ReturnType<typeof findProgram> {
  if (/^(?:gradlew|mvnw)$/.test(name)) return findProgram(name.replace(/w$/, ''));
  return isProjectTool(name) ? findProgram(name) : undefined;
}

/** A program by its name or path. */
export function runProgram(
  shell: Shell,
  { name, args }: NamedProgram,
  scope: Scope,
  { stdin }: Streams,
): ExpandedWord {
  const { effects } = shell.settings;
  const port = shell.port(scope);
  const isPath = name.includes('/');
  const isInstalled =
    systemDirectory.test(name) ||
    /(?:^|\/)node_modules\/\.bin\/[^/]+$|(?:^|\/)\.?venv\/bin\/[^/]+$/.test(name);
  const own =
    isPath &&
    shell.written.size + shell.links.size > 0 &&
    port.paths(exact(name))?.some((path) => shell.written.has(path));
  const known = (!isPath || isInstalled) && !own ? findProgram(baseName(name)) : undefined;
  if (known) {
    effects.programs.add(baseName(name));
    return known({ name: baseName(name), args, stdin, shell: port }) ?? unknown();
  }
  if (isPath) {
    const wrapped = own ? undefined : wrapperOf(baseName(name));
    wrapped?.({ name: baseName(name).replace(/^(gradle|mvn)w$/, '$1'), args, stdin, shell: port });
    shell.runFile({ file: exact(name), args }, scope);
  } else effects.unknownPrograms.add(name.slice(0, 200));
  return unknown();
}
