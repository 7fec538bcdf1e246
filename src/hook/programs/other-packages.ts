import { type ExpandedWord, exact, unknown } from '../shell/field.ts';
import { connectsTo } from './network.ts';
import { nameList, sortArguments } from './options.ts';
import { installs } from './packages.ts';
import type { KnownProgram, ProgramCall, Programs } from './program.ts';
import { runsProject } from './project-code.ts';

function pip({ name, args, shell }: ProgramCall): ExpandedWord | undefined {
  const { operands, has, valuesOf } = sortArguments(
    args,
    nameList(`
    r requirement c constraint e editable i index-url extra-index-url f find-links t
    target d dest prefix root only-binary no-binary python p group extra log proxy
    cache-dir format platform config-settings o output-file
  `),
  );
  const [verb, ...packages] = operands;
  for (const address of valuesOf('i', 'index-url', 'extra-index-url')) connectsTo(address, shell);
  for (const file of valuesOf(
    't',
    'target',
    'd',
    'dest',
    'prefix',
    'root',
    'o',
    'output-file',
    'log',
  ))
    shell.writes(file);
  if (has('f', 'find-links', 'proxy')) shell.unresolved(`${name} takes packages from elsewhere`);
  if (!/^(?:install|download|wheel|sync|compile)$/.test(verb?.text ?? '')) {
    if (verb?.text === 'config' && /^(?:set|edit|unset)$/.test(packages[0]?.text ?? ''))
      shell.unresolved('pip config changes settings');
    return unknown();
  }
  const isOwn = ({ text }: ExpandedWord): boolean => /^\.(?:\[[\w,-]*\])?$|^\.\//.test(text);
  const named = packages.filter((field) => !isOwn(field));
  const editable = valuesOf('e', 'editable').filter((field) => !isOwn(field));
  const binary = valuesOf('only-binary').some(({ text }) => text === ':all:');
  installs(
    { manager: 'pip', packages: [...named, ...editable], runsScripts: !binary && !has('dry-run') },
    shell,
  );
  for (const file of valuesOf('r', 'requirement', 'c', 'constraint')) {
    if (/^[a-z]+:\/\//.test(file.text)) connectsTo(file, shell);
    else if (shell.isOwn(file))
      installs({ manager: name, packages: [file], runsScripts: true }, shell);
    else shell.reads(file);
  }
  return unknown();
}

/** Managers with a verb for new packages, one for the declared ones, and one to run something. */
interface Manager {
  readonly adds: RegExp;
  readonly installs?: RegExp;
  readonly runs?: RegExp;
  readonly publishes?: RegExp;
  readonly project?: RegExp;
  readonly isGlobal?: boolean;
  /** New packages run nothing until they are built. */
  readonly addsWithoutScripts?: boolean;
  readonly taking?: readonly string[];
}

function manager({
  adds,
  installs: declared,
  runs,
  publishes,
  project,
  isGlobal = false,
  addsWithoutScripts = false,
  taking = [],
}: Manager): KnownProgram {
  return ({ name, args, stdin, shell }) => {
    const { operands, has } = sortArguments(args, taking, { stopsAtOperand: false });
    const [verb, ...rest] = operands;
    const word = verb?.text ?? '';
    if (verb && verb.kind !== 'exact') shell.unresolved(`the command of ${name} is not known`);
    if (adds.test(word) && (rest.length > 0 || !declared?.test(word)))
      installs(
        { manager: name, packages: rest, runsScripts: !addsWithoutScripts, isGlobal },
        shell,
      );
    else if (declared?.test(word))
      installs({ manager: name, packages: [], runsScripts: true }, shell);
    else if (runs?.test(word)) {
      const at = args.findIndex(({ text }) => text === word);
      return shell.run(
        sortArguments(
          args.slice(at + 1),
          ['p', 'python', 'with', 'package', 'C', 'm', 'module', 'env'],
          { stopsAtOperand: true },
        ).operands,
        stdin,
      );
    } else if (publishes?.test(word))
      shell.add({ kind: 'package.publish', values: { operations: [`${name} ${word}`] } });
    else if (project?.test(word)) runsProject(shell);
    else if (has('e', 'eval')) shell.unresolved(`${name} runs code from an option`);
    return unknown();
  };
}

function cargo(call: ProgramCall): ExpandedWord | undefined {
  const { args, shell } = call;
  const words = args.filter(({ text }) => !text.startsWith('+'));
  if (words.some(({ text }) => /^--config|^-Z/.test(text)))
    shell.unresolved('cargo runs something that an option says');
  const { operands, valuesOf } = sortArguments(
    words,
    nameList(`
    p package bin example test features F target target-dir manifest-path profile j
    jobs path git root version color registry index branch tag rev message-format
    exclude
  `),
  );
  const [verb, ...rest] = operands;
  for (const place of valuesOf('target-dir', 'root')) shell.writes(place);
  for (const file of valuesOf('manifest-path', 'path')) shell.runFile(file, []);
  for (const address of valuesOf('git', 'index')) connectsTo(address, shell);
  if (verb?.text === 'install')
    installs(
      {
        manager: 'cargo',
        packages: rest.length > 0 ? rest : valuesOf('git'),
        runsScripts: true,
        isGlobal: true,
      },
      shell,
    );
  else if (verb?.text === 'add')
    // The next build runs the build scripts and macros of the package.
    installs({ manager: 'cargo', packages: rest, runsScripts: true }, shell);
  else if (/^(?:publish|yank|owner|login|logout)$/.test(verb?.text ?? ''))
    shell.add({ kind: 'package.publish', values: { operations: [`cargo ${verb?.text}`] } });
  else if (verb?.text === 'clean') shell.deletes(exact('target'));
  else if (/^(?:new|init)$/.test(verb?.text ?? '')) shell.writes(rest[0] ?? exact('.'));
  else if (
    !/^(?:search|tree|metadata|version|help|info|--version|locate-project|pkgid)?$/.test(
      verb?.text ?? '',
    )
  )
    runsProject(shell);
  return undefined;
}

function go({ args: [verb, ...args], shell }: ProgramCall): ExpandedWord | undefined {
  const { operands, valuesOf, has } = sortArguments(
    args,
    nameList(`
      o C exec toolexec overlay modfile run bench tags count timeout coverprofile
      ldflags gcflags mod p cpuprofile memprofile outputdir benchtime w f covermode
      coverpkg skip parallel vettool u
    `).filter((name) => name !== 'u'),
    { singleDash: true },
  );
  if (has('exec', 'toolexec', 'overlay', 'vettool'))
    shell.unresolved('go runs a program that an option says');
  if (valuesOf('ldflags', 'gcflags').some(({ text }) => /extld|toolexec/.test(text)))
    shell.unresolved('go runs a program that an option says');
  for (const file of valuesOf('o', 'coverprofile', 'cpuprofile', 'memprofile', 'outputdir'))
    shell.writes(file);
  const name = verb?.text ?? '';
  if (name === 'install' || name === 'get') {
    const packages = operands.filter(({ text }) => /^[\w-]+\.[\w.-]+\//.test(text));
    // Go runs nothing of a package when it is installed.
    if (packages.length > 0)
      installs(
        { manager: 'go', packages, runsScripts: false, isGlobal: name === 'install' },
        shell,
      );
    return undefined;
  }
  if (name === 'run' && /@|^[\w-]+\.[\w.-]+\/(?!.*\.go$)/.test(operands[0]?.text ?? ''))
    installs({ manager: 'go', packages: operands.slice(0, 1), runsScripts: true }, shell);
  if (name === 'env' && args.some(({ text }) => text === '-w' || text === '-u'))
    shell.unresolved('go env -w changes settings');
  if (
    name === 'generate' ||
    name === 'tool' ||
    name === 'run' ||
    name === 'test' ||
    name === 'build' ||
    name === 'vet' ||
    name === 'fmt' ||
    name === 'mod' ||
    name === 'work'
  )
    runsProject(shell);
  if (name === 'run') for (const file of operands.slice(0, 1)) shell.runFile(file, []);
  if (name === 'clean') return undefined;
  return undefined;
}

const systemReading =
  /^(?:-l|-L|-s|-S|--version|--prefix|--cellar|--list|-qa|-q|-ql|-qi|--installed|-h|--help)$/;

/** Packages of the operating system. */
function systemManager({ name, args, shell }: ProgramCall): ExpandedWord | undefined {
  const { operands } = sortArguments(args, ['t', 'c', 'o']);
  if (/^nix/.test(name)) shell.unresolved(`${name} builds and runs what its arguments say`);
  const isReading =
    /^(?:list|search|show|info|policy|outdated|deps|leaves|config|doctor|--version|home|cat|desc|uses|depends|rdepends|madison|why|provides|repolist|services|--prefix|--cellar|prefix)$/.test(
      operands[0]?.text ?? '',
    ) ||
    args.some(({ text }) =>
      (name === 'pacman' ? /^(?:-Q\w*|-Ss|-Si|--version)$/ : systemReading).test(text),
    );
  const runs = args.some(({ text }) => /Pre-Invoke|Post-Invoke|APT::Update/.test(text));
  if (runs) shell.unresolved(`${name} runs a command that an option says`);
  if (!isReading)
    shell.add({
      kind: 'machine.change',
      values: {
        operations: [`${name} ${operands.map(({ text }) => text).join(' ')}`.slice(0, 200)],
      },
    });
  return undefined;
}

const bundle = manager({
  adds: /^add$/,
  installs: /^(?:install|update)?$/,
  runs: /^exec$/,
  taking: ['gemfile', 'path', 'jobs', 'retry', 'without'],
});

export const otherPackagePrograms: Programs = {
  pip,
  pip3: pip,
  'pip-compile': ({ shell }) => runsProject(shell) as undefined,
  pipx: manager({ adds: /^(?:install|inject|run|runpip|upgrade)$/, isGlobal: true }),
  uv: (call) => uv(call),
  uvx: ({ name, args, shell }) =>
    installs(
      {
        manager: name,
        packages: sortArguments(args, ['from', 'with', 'p', 'python'], {
          stopsAtOperand: true,
        }).operands.slice(0, 1),
        runsScripts: true,
      },
      shell,
    ) as undefined,
  poetry: manager({
    adds: /^add$/,
    installs: /^(?:install|update|lock|sync)$/,
    runs: /^run$/,
    publishes: /^publish$/,
    project: /^(?:build|check)$/,
    taking: ['C', 'directory', 'G', 'group', 'E', 'extras'],
  }),
  pdm: manager({
    adds: /^add$/,
    installs: /^(?:install|update|sync|lock)$/,
    runs: /^run$/,
    publishes: /^publish$/,
    project: /^build$/,
  }),
  pipenv: manager({ adds: /^install$/, installs: /^(?:install|sync|update|lock)$/, runs: /^run$/ }),
  hatch: manager({
    adds: /^dep$/,
    runs: /^run$/,
    publishes: /^publish$/,
    project: /^(?:build|test|fmt|env)$/,
  }),
  rye: manager({
    adds: /^add$/,
    installs: /^(?:sync|lock)$/,
    runs: /^run$/,
    publishes: /^publish$/,
  }),
  conda: manager({ adds: /^(?:install|create|env)$/, installs: /^(?:update)$/, runs: /^run$/ }),
  mamba: manager({ adds: /^(?:install|create|env)$/, runs: /^run$/ }),
  gem: manager({
    adds: /^(?:install|update)$/,
    publishes: /^(?:push|yank|owner)$/,
    isGlobal: true,
  }),
  bundle,
  bundler: bundle,
  composer: manager({
    adds: /^(?:require|create-project|global)$/,
    installs: /^(?:install|update)$/,
    runs: /^exec$/,
    project: /^(?:run|run-script|test|dump-autoload)$/,
  }),
  cargo,
  go,
  rustup: manager({
    adds: /^(?:install|component|target|toolchain|update|self|default|override)$/,
    isGlobal: true,
  }),
  luarocks: manager({ adds: /^install$/ }),
  opam: manager({ adds: /^install$/, runs: /^exec$/ }),
  nuget: manager({ adds: /^install$/, publishes: /^push$/ }),
  twine: manager({ adds: /^$/, publishes: /^upload$/ }),
  helmfile: ({ args, shell }) => {
    if (
      /^(?:apply|sync|destroy|delete)$/.test(
        sortArguments(args, ['f', 'e']).operands[0]?.text ?? '',
      )
    )
      shell.add({ kind: 'cluster.change', values: { operations: ['helmfile'] } });
    return undefined;
  },
  ...Object.fromEntries(
    nameList(`
      apt apt-get apt-cache aptitude dpkg yum dnf rpm zypper pacman apk brew port snap
      flatpak nix nix-env nix-shell emerge xbps-install choco scoop winget mas
    `).map((name) => [name, systemManager]),
  ),
};

function uv(call: ProgramCall): ExpandedWord | undefined {
  const { args, stdin, shell } = call;
  const place = args.findIndex(({ text }) => /^--(?:directory|project)$/.test(text));
  const [first, ...rest] =
    place < 0 ? args : args.filter((_, at) => at !== place && at !== place + 1);
  if (place >= 0 && args[place + 1]) shell.runFile(args[place + 1] as ExpandedWord, []);
  if (args.some(({ text }) => /^--(?:directory|project|config-file)=/.test(text)))
    shell.unresolved('uv works with settings from elsewhere');
  if (first?.text === 'pip') return shell.run([exact('pip'), ...rest], stdin);
  if (first?.text === 'venv') {
    shell.writes(rest.find(({ text }) => !text.startsWith('-')) ?? exact('.venv'));
    return undefined;
  }
  if (first?.text === 'tool') {
    installs({ manager: 'uv', packages: rest.slice(1), runsScripts: true, isGlobal: true }, shell);
    return undefined;
  }
  if (first?.text === 'run' && rest.some(({ text }) => /^--with/.test(text)))
    shell.unresolved('uv run --with installs packages');
  return manager({
    adds: /^add$/,
    installs: /^(?:sync|lock)$/,
    runs: /^run$/,
    publishes: /^publish$/,
    project: /^(?:build)$/,
  })(call);
}
