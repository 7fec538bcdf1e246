import { isHarmlessCode, languageOfFile } from '../code/index.ts';
import { findProgram } from '../programs/index.ts';
import { guardedBy } from '../protected-paths.ts';
import { secretsAt } from '../secret-paths.ts';
import { checkEnvironment } from './environment.ts';
import { type ExpandedWord, exact, unknown } from './field.ts';
import { followKnown } from './follow-script.ts';
import { absolutePaths, baseName, isBelow, normalize } from './path.ts';
import type { Scope } from './scope.ts';
import type { InnerPort, Shell } from './shell.ts';

const notFiles =
  /^\/dev\/(?:null|stdout|stderr|stdin|tty|zero|full|random|urandom|ptmx|fd(?:\/.*)?)$/;

const codeName =
  /\.(?:[cm]?[jt]sx?|py|sh|bash|rb|pl|php|go|rs|c|cc|cpp|h|java|kt|mk|toml|cfg|ini|gradle|kts|xml|lua|ex|exs|swift|cs|vue|svelte|lock)$|\/node_modules\/|\/(?:package\.json|Makefile|GNUmakefile|makefile|justfile|Justfile|Rakefile|Gemfile|Taskfile\.ya?ml|Dockerfile|Procfile|setup\.py|conftest\.py|\.npmrc|\.\w+rc(?:\.\w+)?|\.mocharc\w*|\.babelrc)$/;

/** Settings of tools that are code themselves, or name code that is loaded. */
const settingsName =
  /\.config\.[cm]?[jt]s$|\.(?:toml|cfg|ini)$|\/node_modules\/|\/package\.json$|\/\.\w+rc(?:\.\w+)?$|\/(?:conftest|setup)\.py$|\/biome\.jsonc?$/;

/** The interpreter as programs see it, with the directory and variables of one command. */
export function createPort(shell: Shell, scope: Scope): InnerPort {
  const { effects, home, project } = shell.settings;
  const paths = (field: ExpandedWord): readonly string[] | undefined =>
    absolutePaths(field, scope.directories)?.map((path) => followLinks(path, shell));
  return {
    home,
    project,
    get directories() {
      return scope.directories;
    },
    add: (effect) => effects.add(effect),
    unresolved: (reason) => shell.unresolved(reason),
    paths,
    ...filePort(shell, scope, paths),
    ...runPort(shell, scope),
    connects: (host) =>
      effects.add({ kind: 'network.connect', values: { hosts: [host.toLowerCase()] } }),
    textOf: (path) => shell.settings.files.at(path)?.text ?? undefined,
    inDirectory: (field, run) => {
      const found = paths(field);
      const before = scope.directories;
      if (!found) shell.unresolved(`it works in a directory that is not known: ${show(field)}`);
      scope.directories = found ?? before;
      const output = run();
      scope.directories = before;
      return output;
    },
    variable: (name) => scope.read(name),
    contentOf: (field) => contentOf(field, shell, paths),
  };
}

type FilePort = Pick<InnerPort, 'reads' | 'writes' | 'touches' | 'fetches' | 'deletes' | 'links'>;

/** What programs do with files. */
function filePort(shell: Shell, scope: Scope, paths: InnerPort['paths']): FilePort {
  const { effects, home } = shell.settings;
  const each = (field: ExpandedWord, verb: string, use: (path: string) => void): undefined => {
    const found = paths(field);
    if (!found) return shell.unresolved(`it ${verb} a path that is not known: ${show(field)}`);
    for (const path of found) if (!notFiles.test(path)) use(path);
  };
  const touches = (field: ExpandedWord): undefined =>
    each(field, 'writes', (path) => {
      if (baseName(path).startsWith('-'))
        shell.unresolved(`a file named ${baseName(path)} could become an option`);
      for (const effect of guardedBy(path, home, 'write')) effects.add(effect);
      effects.add({ kind: 'file.write', values: { paths: [path] } });
    });
  const writes = (field: ExpandedWord): undefined => {
    touches(field);
    for (const path of paths(field) ?? [])
      if (!notFiles.test(path) && !scope.directories.includes(path))
        shell.written.set(path, unknown());
  };
  return {
    touches,
    writes,
    reads: (field, isRecursive = false) => {
      const [, host] = /^(?:https?|ftps?|s3|gs):\/\/(?:[^/@]*@)?([^/:]+)/i.exec(field.text) ?? [];
      if (host !== undefined)
        return effects.add({ kind: 'network.connect', values: { hosts: [host.toLowerCase()] } });
      return each(field, 'reads', (path) => {
        if (shell.written.get(path)?.kind === 'exact' && !isRecursive) return;
        effects.add({ kind: 'file.read', values: { paths: [path] } });
        const secrets = secretsAt(path, shell.settings, isRecursive);
        if (secrets) effects.add({ kind: 'secret.read', values: { paths: [path] } });
      });
    },
    fetches: (field) => {
      writes(field);
      for (const path of paths(field) ?? []) shell.fetched.add(path);
    },
    deletes: (field) =>
      each(field, 'deletes', (path) => {
        for (const effect of guardedBy(path, home, 'delete')) effects.add(effect);
        effects.add({ kind: 'file.delete', values: { paths: [path] } });
      }),
    links: (path, target) => {
      const [from] = paths(path) ?? [];
      const to = paths(target)?.[0];
      if (from === undefined || to === undefined)
        return shell.unresolved('a link leads to a place that is not known');
      shell.links.set(from, to);
    },
  };
}

type RunPort = Pick<
  InnerPort,
  | 'run'
  | 'script'
  | 'runFile'
  | 'runScript'
  | 'runKnown'
  | 'programNamed'
  | 'checkOwnCode'
  | 'setsVariables'
  | 'ownFile'
  | 'isOwn'
>;

/** How programs run other programs. */
function runPort(shell: Shell, scope: Scope): RunPort {
  return {
    run: (words, stdin) => shell.deeper(() => shell.runWords(words, scope, { stdin })),
    script: (text, positional = [], zero = unknown('$0')) => {
      const inner = scope.copy();
      inner.zero = zero;
      inner.positional = positional;
      return shell.script(text, inner);
    },
    runFile: (file, args) => shell.runFile({ file, args }, scope),
    runScript: (file, args) => shell.runFile({ file, args, isShell: true }, scope),
    runKnown: (text) => followKnown(shell, { text, args: [] }, scope),
    programNamed: findProgram,
    checkOwnCode: (only) => {
      const own = [...shell.written].find(
        ([path, text]) =>
          (only === 'settings' ? settingsName : codeName).test(path) &&
          !path.startsWith('/dev/') &&
          !isHarmlessFile(path, text, shell.port(scope)),
      )?.[0];
      const place = scope.directories.find((directory) => isFetched(directory, shell));
      if (place !== undefined)
        shell.unresolved(`it runs code that the same command brought to ${place}`);
      if (own !== undefined)
        shell.unresolved(`it runs code after writing ${own} in the same command`);
    },
    ownFile: (paths) =>
      [...shell.written.keys(), ...shell.fetched].find((path) => paths.test(path)),
    isOwn: (field) =>
      shell
        .port(scope)
        .paths(field)
        ?.some(
          (path) =>
            /^\/(?:dev|proc)\//.test(path) || shell.written.has(path) || isFetched(path, shell),
        ) !== false,
    setsVariables: (words) => {
      const assigned = words.map(({ kind, text }): [string, ExpandedWord] => {
        const at = text.indexOf('=');
        return [text.slice(0, at), { kind, text: text.slice(at + 1) }];
      });
      checkEnvironment(new Map(assigned), shell, scope);
    },
  };
}

function contentOf(
  field: ExpandedWord,
  shell: Shell,
  paths: (field: ExpandedWord) => readonly string[] | undefined,
): ExpandedWord {
  const [path] = paths(field) ?? [];
  if (path === undefined) return unknown();
  const written = shell.written.get(path);
  if (written) return written;
  if (path === '/dev/null') return exact('');
  return unknown();
}

/** Whether the text of a file that this call wrote is known, and only computes. */
export function isHarmlessFile(
  path: string,
  { kind, text }: ExpandedWord,
  port: InnerPort,
): boolean {
  return kind === 'exact' && isHarmlessCode(languageOfFile(path), text, port);
}

/** Whether the same call downloaded or unpacked it. */
export function isFetched(path: string, { fetched }: Shell): boolean {
  return [...fetched].some((place) => isBelow(path, place));
}

/** Links that the command made itself, then those that are on the disk. */
function followLinks(path: string, shell: Shell): string {
  let found = path;
  for (const [link, target] of shell.links) {
    if (isBelow(found, link)) found = normalize(`${target}/${found.slice(link.length)}`);
  }
  if (found.startsWith('/dev/') || found.startsWith('/proc/')) return found;
  const [fixed, rest] = splitPattern(found);
  const real = shell.settings.files.at(fixed)?.real;
  return real && real !== fixed ? normalize(`${real}/${rest}`) : found;
}

/** The part of a path before the first wildcard, and the rest. */
function splitPattern(path: string): [string, string] {
  const names = path.split('/');
  const first = names.findIndex((name) => name.includes('*'));
  if (first < 0) return [path, ''];
  return [names.slice(0, first).join('/') || '/', names.slice(first).join('/')];
}

function show({ text }: ExpandedWord): string {
  return JSON.stringify(text.slice(0, 120));
}
