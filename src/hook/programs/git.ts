import { type ExpandedWord, exact, joinFields, pattern, token, unknown } from '../shell/field.ts';
import { patchedFiles } from './files.ts';
import { gitRepositoryVerbs } from './git-repository.ts';
import { type GitVerb, isHarmlessSetting } from './git-settings.ts';
import { gitTransferVerbs } from './git-transfer.ts';
import { nameList, sortArguments } from './options.ts';
import type { KnownProgram, ProgramCall, Programs, ShellPort } from './program.ts';

/** Only print something, unless an option says otherwise. */
const readingVerbs = new Set([
  ...nameList(`
    status log diff show blame annotate ls-files ls-tree rev-parse rev-list describe
    shortlog cat-file for-each-ref
  `),
  ...nameList(`
    name-rev merge-base show-ref show-branch count-objects fsck check-ignore
    check-attr var whatchanged version help cherry
  `),
  ...nameList(`
    range-diff diff-tree diff-index diff-files verify-commit verify-tag grep
    merge-tree get-tar-commit-id column stripspace --version --help cherry verify-pack
    interpret-trailers patch-id check-ref-format write-tree
  `),
]);

function read(verb: string, args: readonly ExpandedWord[], shell: ShellPort): ExpandedWord {
  const { has, valuesOf, operands } = sortArguments(
    args,
    nameList(`
    output n format pretty since until author grep S G L max-count date C
    open-files-in-pager f contents
  `),
  );
  for (const file of valuesOf('output')) shell.writes(file);
  if (has('ext-diff', 'textconv', 'open-files-in-pager', 'O') && verb !== 'log')
    shell.unresolved(`git ${verb} runs another program`);
  if (has('no-index')) for (const file of operands) shell.reads(file);
  for (const { kind, text } of operands) {
    const [, path] = /^[^:]*:(?!\/\/)(.+)$/.exec(text) ?? [];
    if (path !== undefined && kind === 'exact') readsStored(path, shell);
    else if (
      /^(?:show|diff|log|blame|grep|cat-file)$/.test(verb) &&
      kind === 'exact' &&
      /\.env|secret|credential|\.pem|\.key|id_rsa/i.test(text)
    )
      readsStored(text, shell);
  }
  return printed(verb, args, shell);
}

/** A file in history is as secret as the file itself. */
function readsStored(path: string, shell: ShellPort): undefined {
  shell.reads(exact(path));
}

/** What other commands do with the output: names below the directory, a commit, a branch. */
function printed(verb: string, args: readonly ExpandedWord[], shell: ShellPort): ExpandedWord {
  const flags = args.map(({ text }) => text);
  if (verb === 'rev-parse' && flags.includes('--show-toplevel')) return exact(`${shell.project}\n`);
  if (verb === 'rev-parse' && flags.some((flag) => flag.startsWith('--git-'))) return unknown();
  if (verb === 'rev-parse' || verb === 'describe' || verb === 'merge-base' || verb === 'rev-list')
    return token;
  if (verb === 'ls-files') return trackedFiles(flags);
  if (flags.includes('--name-only')) return pattern('./**/*');
  return unknown();
}

/** By extension, if the command asks for some: `*.ts` and `*.tsx` are `*.ts*`. */
function trackedFiles(flags: readonly string[]): ExpandedWord {
  const shapes = flags.filter((flag) => !flag.startsWith('-'));
  if (shapes.length === 0 || !shapes.every((shape) => /^\*\.\w+$/.test(shape)))
    return pattern('./**/*');
  const [first = ''] = shapes;
  const shared = [...first].findIndex((_, at) => shapes.some((shape) => shape[at] !== first[at]));
  return pattern(`./**/${shared < 0 ? first : first.slice(0, shared)}*`);
}

function git({ args, stdin, shell }: ProgramCall): ExpandedWord {
  const { operands, valuesOf, options } = sortArguments(
    args,
    ['C', 'c', 'git-dir', 'work-tree', 'namespace', 'super-prefix', 'config-env', 'exec-path'],
    { stopsAtOperand: true },
  );
  for (const { kind, text } of valuesOf('c', 'config-env')) {
    const [name = ''] = text.split('=');
    if (kind === 'unknown' || !isHarmlessSetting(name))
      shell.unresolved(`git -c ${name} can make git run something else`);
  }
  for (const { name } of options) {
    if (/^(?:git-dir|work-tree|exec-path|super-prefix|namespace|config-env)$/.test(name))
      shell.unresolved(`git --${name} makes git work elsewhere`);
  }
  const [verb, ...rest] = operands;
  if (!verb) return unknown();
  if (/^(?:apply|am)$/.test(verb.text)) for (const file of patchedFiles(stdin)) shell.writes(file);
  const places = valuesOf('C');
  const run = (): ExpandedWord => runVerb(verb, rest, shell);
  return places.length > 0 ? shell.inDirectory(joinPlaces(places), run) : run();
}

function joinPlaces(places: readonly ExpandedWord[]): ExpandedWord {
  const start = places.findLastIndex(({ text }) => text.startsWith('/'));
  return joinFields(places.slice(Math.max(start, 0)), '/');
}

function runVerb(
  { kind, text: verb }: ExpandedWord,
  args: readonly ExpandedWord[],
  shell: ShellPort,
): ExpandedWord {
  if (kind !== 'exact') {
    shell.unresolved('the command of git is not known');
    return unknown();
  }
  if (readingVerbs.has(verb)) return read(verb, args, shell);
  const known = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!known) shell.unresolved(`git ${verb} is not known: it may be an alias`);
  return known?.(args, shell) ?? unknown();
}

const verbs: Readonly<Record<string, GitVerb>> = { ...gitRepositoryVerbs, ...gitTransferVerbs };

const hubChanges =
  /^(?:pr (?:merge|close|reopen|lock|unlock)|issue (?:close|delete|transfer|pin|lock)|release (?:create|delete|edit|upload)|repo (?:create|delete|edit|archive|rename|fork|sync|unarchive|set-default|deploy-key)|secret \w+|variable (?:set|delete)|workflow (?:run|disable|enable)|run (?:rerun|cancel|delete)|gist (?:create|edit|delete)|ssh-key \w+|gpg-key \w+|label (?:create|delete|edit|clone)|codespace \w+|cache delete|ruleset \w+|project \w+|auth (?:login|logout|token|refresh|setup-git))$/;

/** The command lines of GitHub and GitLab. */
const hub: KnownProgram = ({ name, args, shell }) => {
  const { operands, has, valuesOf } = sortArguments(
    args,
    nameList(`
    X method f raw-field F field H header input R repo q jq t title b body body-file L
    limit json B base head l label a assignee r reviewer hostname s state m milestone D
    dir
  `),
  );
  const verb = operands
    .slice(0, 2)
    .map(({ text }) => text)
    .join(' ');
  if (operands.slice(0, 2).some(({ kind }) => kind !== 'exact'))
    shell.unresolved(`the command of ${name} is not known`);
  for (const file of valuesOf('body-file', 'input')) if (file.text !== '-') shell.reads(file);
  shell.connects(
    valuesOf('hostname')[0]?.text ?? (name === 'glab' ? 'gitlab.com' : 'api.github.com'),
  );
  const isWrite =
    operands[0]?.text === 'api' &&
    (valuesOf('X', 'method').some(({ text }) => !/^get$/i.test(text)) ||
      (has('f', 'raw-field', 'F', 'field', 'input') &&
        !valuesOf('X', 'method').some(({ text }) => /^get$/i.test(text))));
  if (isWrite || hubChanges.test(verb))
    shell.add({ kind: 'cloud.change', values: { operations: [`${name} ${verb}`] } });
  if (
    /^(?:alias|extension|config|browse)$/.test(operands[0]?.text ?? '') &&
    operands.length > 1 &&
    !/list|get/.test(operands[1]?.text ?? '')
  )
    shell.unresolved(`${name} ${verb} can make it run something else`);
  if (verb === 'auth token' || has('show-token'))
    shell.add({ kind: 'secret.read', values: { paths: [`${name} auth token`] } });
  if (/^(?:pr checkout|repo clone|release download|run download)$/.test(verb))
    shell.writes(valuesOf('D', 'dir')[0] ?? exact('.'));
  return unknown();
};

export const gitPrograms: Programs = {
  git,
  gh: hub,
  glab: hub,
  hub: git,
  tig: () => undefined,
  lazygit: () => undefined,
  'git-lfs': ({ args, shell }) => runVerb(exact('lfs'), args, shell),
};
