import { type ExpandedWord, exact, joinFields, pattern, token } from '../shell/field.ts';
import { type GitVerb, isHarmlessSetting } from './git-settings.ts';
import { nameList, sortArguments } from './options.ts';
import type { ShellPort } from './program.ts';

export function rewrites(operation: string, shell: ShellPort): undefined {
  shell.add({ kind: 'git.history', values: { operations: [operation] } });
}

export function commits(shell: ShellPort, operation = 'commit'): undefined {
  shell.add({
    kind: 'git.commit',
    values: { operations: [operation], directories: shell.directories },
  });
}

const working = exact('.');
const isOngoing = (args: readonly ExpandedWord[]): boolean =>
  args.some(({ text }) => /^--(?:abort|continue|skip|quit|show-current-patch)$/.test(text));

/** Changes of the working tree and of the local repository. */
export const gitRepositoryVerbs: Readonly<Record<string, GitVerb>> = {
  add: (args, shell) => {
    if (args.some(({ kind }) => kind === 'unknown')) shell.writes(working);
    return exact('');
  },
  stage: () => exact(''),
  rm: (args, shell) => {
    const { operands, has } = sortArguments(args, ['pathspec-from-file']);
    if (!has('cached', 'n', 'dry-run')) for (const file of operands) shell.deletes(file);
    return exact('');
  },
  mv: (args, shell) => {
    for (const file of sortArguments(args).operands) shell.writes(file);
    return exact('');
  },
  restore: (args, shell) => {
    const { operands } = sortArguments(args, ['s', 'source', 'pathspec-from-file']);
    for (const file of operands) shell.writes(file);
    return undefined;
  },
  checkout: (args, shell) => checkout(args, ['B'], shell),
  switch: (args, shell) => checkout(args, ['C', 'force-create'], shell),
  stash: (args, shell) => {
    const [verb] = args;
    if (/^(?:clear|drop)$/.test(verb?.text ?? '')) rewrites(`stash ${verb?.text}`, shell);
    else shell.writes(working);
    for (const file of args.slice(1)) if (/[./]/.test(file.text)) shell.writes(file);
    return undefined;
  },
  clean: (args, shell) => {
    const { operands, has } = sortArguments(args, ['e', 'exclude']);
    if (has('n', 'dry-run') || !has('f', 'force')) return undefined;
    if (has('x', 'X'))
      shell.unresolved('git clean -x deletes ignored files, too, such as .env and .surety');
    for (const place of operands.length > 0 ? operands : [pattern('./**')]) shell.deletes(place);
    return undefined;
  },
  reset,
  apply: (args, shell) => {
    const { operands, has, valuesOf } = sortArguments(
      args,
      nameList('p C directory exclude include whitespace build-fake-ancestor'),
    );
    if (has('unsafe-paths'))
      shell.unresolved('git apply --unsafe-paths writes outside of the repository');
    for (const file of operands) shell.reads(file);
    if (!has('check', 'stat', 'numstat', 'summary') || has('apply'))
      shell.writes(valuesOf('directory')[0] ?? working);
    return undefined;
  },
  am: (args, shell) => (isOngoing(args) ? undefined : (commits(shell, 'am') as undefined)),
  commit: (args, shell) => {
    const { has, valuesOf } = sortArguments(
      args,
      nameList(`
      m message F file C c author date t template fixup squash reuse-message
      reedit-message pathspec-from-file trailer cleanup
    `),
    );
    for (const file of valuesOf('F', 'file', 't', 'template'))
      if (file.text !== '-') shell.reads(file);
    if (has('amend')) rewrites('commit --amend', shell);
    if (has('no-verify', 'n')) rewrites('commit --no-verify skips the hooks', shell);
    commits(shell);
    return undefined;
  },
  merge: (args, shell) => (isOngoing(args) ? undefined : (commits(shell, 'merge') as undefined)),
  'cherry-pick': (args, shell) =>
    isOngoing(args) ? undefined : (commits(shell, 'cherry-pick') as undefined),
  revert: (args, shell) => (isOngoing(args) ? undefined : (commits(shell, 'revert') as undefined)),
  rebase: (args, shell) => {
    const { has, valuesOf } = sortArguments(
      args,
      nameList('x exec onto s strategy X strategy-option'),
    );
    for (const { kind, text } of valuesOf('x', 'exec')) {
      if (kind === 'exact') shell.script(text);
      else shell.unresolved('git rebase runs a command that is not known');
    }
    if (!isOngoing(args) && !has('edit-todo')) rewrites('rebase', shell);
    return undefined;
  },
  branch: (args, shell) => {
    const { has, operands } = sortArguments(
      args,
      nameList('u set-upstream-to sort format contains merged no-merged points-at'),
    );
    if (has('D', 'f', 'M', 'C', 'force')) rewrites('branch: delete or move by force', shell);
    if (has('show-current')) return token;
    return operands.length === 0 ? token : undefined;
  },
  tag: (args, shell) => {
    const { has } = sortArguments(
      args,
      nameList('m message F file u sort format contains points-at n'),
    );
    if (has('d', 'delete', 'f', 'force')) rewrites('tag: delete or move', shell);
    return undefined;
  },
  'filter-branch': (args, shell) => {
    rewrites('filter-branch', shell);
    for (const { kind, text } of sortArguments(
      args,
      nameList(`
      tree-filter index-filter msg-filter env-filter commit-filter parent-filter
      tag-name-filter setup d original
    `),
    ).options.flatMap(({ value }) => (value ? [value] : []))) {
      if (kind === 'exact' && text.includes(' ')) shell.script(text);
    }
    return undefined;
  },
  'filter-repo': (_, shell) => rewrites('filter-repo', shell) as undefined,
  'fast-import': (_, shell) => rewrites('fast-import', shell) as undefined,
  replace: (_, shell) => rewrites('replace', shell) as undefined,
  'update-ref': (_, shell) => rewrites('update-ref', shell) as undefined,
  'symbolic-ref': (args, shell) =>
    sortArguments(args).operands.length > 1
      ? (rewrites('symbolic-ref', shell) as undefined)
      : token,
  'commit-tree': (_, shell) => commits(shell, 'commit-tree') as undefined,
  'read-tree': (_, shell) => shell.writes(working) as undefined,
  'update-index': () => exact(''),
  'hash-object': (args, shell) => {
    for (const file of sortArguments(args, ['t', 'path']).operands) shell.reads(file);
    return token;
  },
  prune: (_, shell) => rewrites('prune', shell) as undefined,
  repack: () => undefined,
  'pack-refs': () => undefined,
  gc: (args, shell) => {
    if (
      sortArguments(args).has('prune', 'aggressive') &&
      args.some(({ text }) => /prune=(?!2|never)/.test(text))
    )
      rewrites('gc --prune', shell);
    return undefined;
  },
  maintenance: (args, shell) => {
    if (!/^(?:run|is-needed)$/.test(args[0]?.text ?? ''))
      shell.add({ kind: 'machine.change', values: { operations: ['git maintenance'] } });
    return undefined;
  },
  reflog: (args, shell) => {
    if (/^(?:expire|delete|drop)$/.test(args[0]?.text ?? ''))
      rewrites(`reflog ${args[0]?.text}`, shell);
    return undefined;
  },
  notes: (args, shell) => {
    for (const file of sortArguments(args, ['F', 'file', 'm', 'C', 'c', 'ref']).valuesOf(
      'F',
      'file',
    ))
      shell.reads(file);
    return undefined;
  },
  bisect: (args, shell) => {
    if (args[0]?.text === 'run') return shell.run(args.slice(1));
    shell.writes(working);
    return undefined;
  },
  worktree: (args, shell) => {
    const { operands } = sortArguments(args.slice(1), ['b', 'B', 'reason']);
    if (args.some(({ text }) => text === '-B')) rewrites('worktree add -B', shell);
    if (/^(?:add|move)$/.test(args[0]?.text ?? ''))
      for (const place of operands.slice(0, 1)) shell.writes(place);
    if (args[0]?.text === 'remove') for (const place of operands) shell.deletes(place);
    return undefined;
  },
  'sparse-checkout': (_, shell) => shell.writes(working) as undefined,
  init: (args, shell) => {
    const { operands, has } = sortArguments(
      args,
      nameList('b initial-branch template separate-git-dir'),
    );
    if (has('template', 'separate-git-dir'))
      shell.unresolved('git init takes hooks from elsewhere');
    if (operands[0]) shell.writes(operands[0]);
    return undefined;
  },
  'format-patch': (args, shell) => {
    const { valuesOf, has } = sortArguments(args, ['o', 'output-directory', 'n', 'subject-prefix']);
    if (!has('stdout')) shell.writes(valuesOf('o', 'output-directory')[0] ?? working);
    return undefined;
  },
  archive: (args, shell) => {
    const { valuesOf, has } = sortArguments(
      args,
      nameList('o output format prefix remote exec add-file'),
    );
    if (has('exec', 'remote')) shell.unresolved('git archive asks another machine');
    for (const file of valuesOf('o', 'output')) shell.writes(file);
    for (const file of valuesOf('add-file')) shell.reads(file);
    return undefined;
  },
  bundle: (args, shell) => {
    if (args[0]?.text === 'create' && args[1]) shell.writes(args[1]);
    return undefined;
  },
  config,
  lfs: (args, shell) => {
    if (
      !/^(?:ls-files|status|track|untrack|install|pull|fetch|env|version|logs)$/.test(
        args[0]?.text ?? '',
      )
    )
      shell.unresolved('git lfs could change what is stored');
    return undefined;
  },
};

function checkout(
  args: readonly ExpandedWord[],
  forcing: readonly string[],
  shell: ShellPort,
): undefined {
  const { has } = sortArguments(
    args,
    nameList('b B c C create force-create orphan conflict pathspec-from-file'),
  );
  if (has(...forcing)) rewrites('move a branch by force', shell);
  const end = args.findIndex(({ text }) => text === '--');
  const files = end < 0 ? [] : args.slice(end + 1);
  for (const file of files.length > 0 ? files : [working]) shell.writes(file);
}

/** Moving a branch to another commit changes its history; `reset --hard` alone discards edits. */
function reset(args: readonly ExpandedWord[], shell: ShellPort): undefined {
  const { operands, has } = sortArguments(args, ['pathspec-from-file']);
  const [first] = operands;
  const hasMode = has('hard', 'soft', 'merge', 'keep', 'mixed');
  const isPath =
    !hasMode &&
    (args.some(({ text }) => text === '--') || /[./]\w+$|^\.$/.test(first?.text ?? '')) &&
    !/^(?:HEAD|@)?[~^@]/.test(first?.text ?? '');
  const stays = !first || /^(?:HEAD|@)$/.test(first.text) || isPath;
  if (!stays) rewrites(`reset to ${first.text}`, shell);
  if (has('hard', 'merge', 'keep')) shell.writes(working);
}

function config(args: readonly ExpandedWord[], shell: ShellPort): undefined {
  const { operands, has, valuesOf } = sortArguments(
    args,
    nameList('f file blob type default get get-all get-regexp get-urlmatch comment value'),
  );
  for (const file of valuesOf('f', 'file')) shell.reads(file);
  if (args.some(({ text }) => /extraheader|credential|token|password/i.test(text)))
    shell.add({ kind: 'secret.read', values: { paths: ['git config'] } });
  if (has('get', 'get-all', 'get-regexp', 'get-urlmatch', 'l', 'list', 'get-color', 'show-origin'))
    return;
  const words = /^(?:get|list|set|unset|edit|remove-section|rename-section)$/.test(
    operands[0]?.text ?? '',
  )
    ? operands
    : [
        exact(
          operands.length > 1 || has('unset', 'add', 'unset-all', 'replace-all') ? 'set' : 'get',
        ),
        ...operands,
      ];
  const [verb, name, value] = words;
  if (verb?.text === 'get' || verb?.text === 'list') return;
  if (has('e', 'edit') || verb?.text === 'edit') shell.unresolved('git config opens an editor');
  for (const file of valuesOf('f', 'file')) shell.writes(file);
  if (has('global')) shell.writes(exact(`${shell.home}/.gitconfig`));
  if (has('system')) shell.writes(exact('/etc/gitconfig'));
  const key = name?.text ?? '';
  if (/^(?:remote|url|branch)\./i.test(key))
    shell.add({
      kind: 'git.remote',
      values: { operations: [joinFields(['config', key, value?.text ?? ''].map(exact), ' ').text] },
    });
  else if (name?.kind !== 'exact' || !isHarmlessSetting(key))
    shell.unresolved(`git config ${key} can make git run something else`);
}
