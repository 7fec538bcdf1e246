import { type ExpandedWord, exact, unknown } from '../shell/field.ts';
import { rewrites } from './git-repository.ts';
import type { GitVerb } from './git-settings.ts';
import { connectsTo } from './network.ts';
import { nameList, sortArguments } from './options.ts';
import type { ShellPort } from './program.ts';

/** The host of a repository's address; the name of a remote has none that is known. */
function reaches(place: ExpandedWord | undefined, shell: ShellPort): undefined {
  if (!place) return;
  const { kind, text } = place;
  if (/^(?:ext|fd)::|^[\w-]+::/.test(text) || text.startsWith('-'))
    return shell.unresolved(`git runs a helper for ${text.slice(0, 80)}`);
  if (/^[a-z+]+:\/\//i.test(text)) return connectsTo(place, shell);
  const [, host] = /^(?:[^@/]+@)?([\w.-]+):(?!\/\/)/.exec(text) ?? [];
  if (host !== undefined) return shell.connects(host);
  if (kind === 'unknown') return shell.unresolved('git reaches a place that is not known');
  if (/^[./~]/.test(text)) shell.reads(place);
}

const transferOptions = nameList(`
  upload-pack receive-pack exec o push-option server-option depth b branch origin j
  jobs c config u reference template separate-git-dir filter shallow-since repo
  recurse-submodules deepen refmap bundle-uri s X strategy
`);

function checkHelpers(args: readonly ExpandedWord[], verb: string, shell: ShellPort): undefined {
  const { has, valuesOf } = sortArguments(args, transferOptions);
  const harmful =
    has('upload-pack', 'receive-pack', 'exec', 'template', 'separate-git-dir', 'bundle-uri') ||
    (verb === 'clone' && has('u'));
  if (harmful || (verb === 'clone' && valuesOf('c', 'config').length > 0))
    shell.unresolved(`git ${verb} runs another program`);
}

/** Between repositories. */
export const gitTransferVerbs: Readonly<Record<string, GitVerb>> = {
  push,
  'send-pack': (_, shell) => rewrites('send-pack', shell) as undefined,
  clone: (args, shell) => {
    checkHelpers(args, 'clone', shell);
    const { operands } = sortArguments(args, transferOptions);
    const [from, to] = operands;
    reaches(from, shell);
    const name =
      from?.kind === 'exact'
        ? from.text
            .replace(/\/+$/, '')
            .replace(/\.git$/, '')
            .split(/[/:]/)
            .at(-1)
        : undefined;
    shell.fetches(to ?? (name ? exact(name) : unknown()));
    return undefined;
  },
  fetch: (args, shell) => {
    checkHelpers(args, 'fetch', shell);
    const { operands, has } = sortArguments(
      args,
      transferOptions.filter((name) => name !== 'u'),
    );
    reaches(operands[0], shell);
    const moves = operands
      .slice(1)
      .some(
        ({ text }) =>
          /^\+?[^:]*:(?!refs\/remotes\/)./.test(text) &&
          (text.startsWith('+') || has('f', 'force')),
      );
    if (moves || operands.slice(1).some(({ kind }) => kind === 'unknown'))
      rewrites('fetch over a branch', shell);
    return undefined;
  },
  pull: (args, shell) => {
    checkHelpers(args, 'pull', shell);
    const { operands, has } = sortArguments(args, transferOptions);
    reaches(operands[0], shell);
    if (has('f', 'force')) rewrites('pull --force', shell);
    shell.writes(exact('.'));
    return undefined;
  },
  'ls-remote': (args, shell) => {
    checkHelpers(args, 'ls-remote', shell);
    reaches(sortArguments(args, transferOptions).operands[0], shell);
    return undefined;
  },
  remote: (args, shell) => {
    const { operands } = sortArguments(args, ['t', 'm']);
    const [verb, ...rest] = operands;
    if (!/^(?:add|set-url|remove|rm|rename|set-head|set-branches)$/.test(verb?.text ?? ''))
      return unknown();
    const operation = operands.map(({ text }) => text).join(' ');
    shell.add({ kind: 'git.remote', values: { operations: [operation.slice(0, 300)] } });
    if (/^(?:add|set-url)$/.test(verb?.text ?? '')) reaches(rest[1], shell);
    return unknown();
  },
  submodule: (args, shell) => {
    const [verb, ...rest] = args.filter(({ text }) => !/^-/.test(text));
    if (verb?.text === 'foreach') {
      const text = rest.map((word) => word.text).join(' ');
      if (rest.every(({ kind }) => kind === 'exact')) shell.script(text);
      else shell.unresolved('git submodule runs a command that is not known');
    }
    if (verb?.text === 'add') {
      reaches(rest[0], shell);
      shell.writes(rest[1] ?? exact('.'));
    }
    if (/^(?:set-url|deinit)$/.test(verb?.text ?? ''))
      shell.add({ kind: 'git.remote', values: { operations: [`submodule ${verb?.text}`] } });
    return unknown();
  },
  credential: secrets,
  'credential-store': secrets,
  'credential-cache': secrets,
};

function secrets(_: readonly ExpandedWord[], shell: ShellPort): undefined {
  shell.add({ kind: 'secret.read', values: { paths: ['git credential'] } });
}

function push(args: readonly ExpandedWord[], shell: ShellPort): ExpandedWord {
  checkHelpers(args, 'push', shell);
  const { operands, has, isUnclear, valuesOf } = sortArguments(
    args,
    nameList('o push-option receive-pack exec repo recurse-submodules signed'),
  );
  if (
    isUnclear &&
    args.some(({ kind, text }) => kind === 'unknown' && !/^\$?\{?\w*\}?$|^origin\//.test(text))
  )
    shell.unresolved('git push has an argument that is not known');
  const [remote = valuesOf('repo')[0], ...refs] = operands;
  reaches(remote, shell);
  const force =
    has('f', 'force', 'force-with-lease', 'force-if-includes', 'mirror') ||
    refs.some(({ text }) => text.startsWith('+'));
  const deletes =
    has('d', 'delete', 'prune', 'mirror') || refs.some(({ text }) => /^\+?:/.test(text));
  const dry = has('n', 'dry-run');
  if (dry) return unknown();
  const values = {
    remotes: remote ? [remote.text] : [],
    refs: refs.map(({ text }) => text),
    force,
    deletes,
    several: has('all', 'branches', 'tags', 'follow-tags', 'mirror'),
    directories: shell.directories,
  };
  shell.add({ kind: 'git.push', values });
  if (refs.some(({ kind }) => kind === 'unknown'))
    shell.unresolved('git push has a branch that is not known');
  return unknown();
}
