import { type ExpandedWord, exact, unknown } from '../shell/field.ts';
import { connectsTo } from './network.ts';
import { nameList, sortArguments } from './options.ts';
import type { ProgramCall, Programs, ShellPort } from './program.ts';
import { isProjectTool, runsProject } from './project-code.ts';

interface Installation {
  readonly manager: string;
  readonly packages: readonly ExpandedWord[];
  readonly runsScripts: boolean;
  readonly isGlobal?: boolean;
}

function installs(
  { manager, packages, runsScripts, isGlobal = false }: Installation,
  shell: ShellPort,
): undefined {
  const values = {
    manager: [manager],
    packages: packages.map(({ text }) => text.slice(0, 200)),
    runsScripts,
    isGlobal,
  };
  shell.add({ kind: 'package.install', values });
  if (packages.some(({ kind }) => kind === 'unknown'))
    shell.unresolved(`${manager} installs a package that is not known`);
  for (const { kind, text } of packages) {
    if (/^(?:git\+)?(?:https?|ssh|git):\/\//.test(text))
      connectsTo({ kind, text: text.replace(/^git\+/, '') }, shell);
  }
  // Whoever installs what is declared runs the scripts of the project, too.
  if (packages.length === 0) shell.checkOwnCode();
}

const nodeOptions = nameList(`
  prefix C w workspace filter F registry cwd dir userconfig globalconfig cache
  script-shell node-options shell loglevel tag otp p package c call omit include
  before depth modules-folder mutex network-timeout virtual-store-dir store-dir
  lockfile-dir access audit-level message m preid script
`);

/** npm, pnpm, yarn and bun. */
function nodeManager({ name, args, stdin, shell }: ProgramCall): ExpandedWord | undefined {
  const manager = name === 'bun-packages' ? 'bun' : name;
  const sorted = sortArguments(args, nodeOptions, { stopsAtOperand: false });
  const { operands, valuesOf, isUnclear } = sorted;
  // `--ignore-scripts=false` is no such option.
  const has = (...names: readonly string[]): boolean =>
    sorted.has(...names) && !valuesOf(...names).some(({ text }) => text === 'false');
  if (
    has(
      'script-shell',
      'node-options',
      'shell',
      'userconfig',
      'globalconfig',
      'git',
      'init-module',
      'editor',
      'viewer',
    )
  )
    shell.unresolved(`${manager} runs something that an option says`);
  for (const address of valuesOf('registry')) connectsTo(address, shell);
  const [place] = valuesOf('prefix', 'C', 'cwd', 'dir');
  const run = (): ExpandedWord => {
    nodeVerb(
      { manager, verb: operands[0], rest: operands.slice(1), args, stdin, has, isUnclear },
      shell,
    );
    return unknown();
  };
  return place && !has('g', 'global') ? shell.inDirectory(place, run) : run();
}

interface NodeCall {
  readonly manager: string;
  readonly verb: ExpandedWord | undefined;
  readonly rest: readonly ExpandedWord[];
  readonly args: readonly ExpandedWord[];
  readonly stdin: ExpandedWord | undefined;
  readonly isUnclear: boolean;
  has(...names: readonly string[]): boolean;
}

const aliases: Readonly<Record<string, string>> = {
  i: 'install',
  in: 'install',
  ins: 'install',
  add: 'install',
  isntall: 'install',
  ci: 'ci',
  'clean-install': 'ci',
  t: 'test',
  tst: 'test',
  x: 'exec',
  'run-script': 'run',
  rum: 'run',
  up: 'update',
  upgrade: 'update',
  'install-test': 'install',
  it: 'install',
  'install-ci-test': 'ci',
  'clean-install-test': 'ci',
  cit: 'ci',
  sit: 'ci',
  ic: 'ci',
  rb: 'rebuild',
  innit: 'init',
  create: 'init',
  un: 'uninstall',
  rm: 'uninstall',
  remove: 'uninstall',
  dlx: 'exec',
};
const quiet =
  /^(?:ls|list|ll|la|view|info|show|v|outdated|audit|why|explain|pack|help|search|ping|doctor|root|bin|prefix|config|get|completion|fund|docs|home|repo|bugs|query|uninstall|prune|dedupe|ddp|rebuild|rb|pkg|cache|store|env|set-version|whoami|sbom|diff|shrinkwrap|licenses|version|versions|workspaces|workspace|patch|patch-commit|import|link|ln|unlink|policies|plugin|constraints|generate-lock-entry|check|autoclean|setup|approve-builds|fetch|deploy|-v|--version|stars|org|team|hook|edit|explore|set|login|logout|adduser|token|owner|access|deprecate|dist-tag|profile|publish|unpublish|star|unstar|pm|npm)$/;

/** `yarn workspace web build` and the like: a command inside of another one. */
function innerVerb(verb: string, call: NodeCall): NodeCall | undefined {
  const { rest } = call;
  if (verb === 'global') return { ...call, verb: rest[0], rest: rest.slice(1) };
  const isEach = verb === 'workspaces' && rest[0]?.text === 'foreach';
  return verb === 'workspace' || isEach
    ? { ...call, verb: rest[1], rest: rest.slice(2) }
    : undefined;
}

/** Packages that come into the project without being declared. */
function isGlobalLink(verb: string, [first]: readonly ExpandedWord[]): boolean {
  return (verb === 'cache' && first?.text === 'add') || (/^(?:link|ln)$/.test(verb) && !!first);
}

function nodeVerb(call: NodeCall, shell: ShellPort): undefined {
  const { manager, rest, has } = call;
  const name = call.verb?.text ?? '';
  const verb = aliases[name] ?? name;
  if (call.verb && call.verb.kind !== 'exact')
    return shell.unresolved(`the command of ${manager} is not known`);
  if (verb === '') {
    if (manager === 'yarn' && !has('version', 'v', 'help', 'h'))
      nodeInstall(call, 'install', shell);
    return;
  }
  if (verb === 'install' || verb === 'ci' || verb === 'update')
    return nodeInstall(call, verb, shell);
  if (verb === 'exec' || verb === 'init') return nodeExec(call, verb, shell);
  if (
    verb === 'run' ||
    verb === 'test' ||
    verb === 'start' ||
    verb === 'stop' ||
    verb === 'restart'
  )
    return nodeScript(call, verb, shell);
  const inner = innerVerb(verb, call);
  if (inner) return nodeVerb(inner, shell);
  if (
    /^(?:publish|unpublish|deprecate|dist-tag|owner|access|team|org|hook|profile|deploy|star)$/.test(
      verb,
    ) &&
    !/^(?:ls|list|get)$/.test(rest[0]?.text ?? '')
  ) {
    return shell.add({ kind: 'package.publish', values: { operations: [`${manager} ${verb}`] } });
  }
  if (/^(?:login|logout|adduser|set|setup|edit|explore|plugin|policies|patch-commit)$/.test(verb))
    return shell.unresolved(`${manager} ${verb} changes settings or runs something else`);
  if (
    verb === 'token' ||
    (verb === 'config' &&
      /auth|token|password|^list$|^ls$/i.test(rest.map(({ text }) => text).join(' ')))
  )
    shell.add({ kind: 'secret.read', values: { paths: [`${manager} ${verb}`] } });
  if (verb === 'token') return;
  if (verb === 'config' && !/^(?:get|list|ls)?$/.test(rest[0]?.text ?? ''))
    return shell.unresolved(`${manager} config changes settings`);
  if (verb === 'version' && rest.length > 0)
    return shell.add({
      kind: 'git.commit',
      values: { operations: ['npm version'], directories: shell.directories },
    });
  if (isGlobalLink(verb, rest))
    return installs({ manager, packages: rest, runsScripts: true, isGlobal: true }, shell);
  if (verb === 'audit' && rest[0]?.text === 'fix') return installsUnpinned(manager, has, shell);
  if (verb === 'rebuild') return installsUnpinned(manager, has, shell);
  if (verb === 'pkg' && !/^(?:get)?$/.test(rest[0]?.text ?? ''))
    shell.writes(exact('package.json'));
  if (quiet.test(verb)) return;
  // yarn, pnpm and bun run a script or an installed program by its bare name.
  if (manager === 'npm') return shell.unresolved(`npm ${verb} is not known`);
  nodeScript({ ...call, rest: [call.verb as ExpandedWord, ...rest] }, 'run', shell);
}

function nodeInstall(
  { manager, rest, has, args }: NodeCall,
  verb: string,
  shell: ShellPort,
): undefined {
  const isLocal = ({ text }: ExpandedWord): boolean =>
    /^(?:\.{0,2}\/|file:|workspace:|link:)/.test(text);
  const packages =
    verb === 'ci' || verb === 'update'
      ? []
      : rest.filter((field) => !isLocal(field) || field.text.startsWith('/'));
  const isGlobal = has('g', 'global') || args.some(({ text }) => text === 'global');
  const isPinned = verb === 'ci' || has(...pinningOptions);
  if (packages.length === 0 && !isPinned && !isGlobal) installsUnpinned(manager, has, shell);
  if (isGlobal) shell.writes(exact('/usr/local/lib/node_modules'));
  installs(
    {
      manager,
      packages: packages.filter(({ text }) => text !== 'global'),
      runsScripts: !has('ignore-scripts', 'dry-run'),
      isGlobal,
    },
    shell,
  );
}

/** Options by which a manager installs only what the lock file names. */
const pinningOptions = ['frozen-lockfile', 'immutable', 'frozen', 'package-lock-only'];

/** An edit of package.json, or a newer version in the registry, decides whose scripts run here. */
function installsUnpinned(manager: string, has: NodeCall['has'], shell: ShellPort): undefined {
  const packages = [exact('packages that no lock file pins')];
  installs({ manager, packages, runsScripts: !has('ignore-scripts', 'dry-run') }, shell);
}

/** Programs of the project that are usually run by npx; anything else would be downloaded. */
function nodeExec(
  { manager, rest, args, stdin }: NodeCall,
  verb: string,
  shell: ShellPort,
): undefined {
  const start = args.findIndex(({ text }) => aliases[text] === 'exec' || text === 'exec');
  const after = start >= 0 ? args.slice(start + 1) : args;
  // Options after the program are its own.
  const { valuesOf, has } = sortArguments(
    after,
    nameList('p package c call w workspace prefix filter F C dir'),
    { stopsAtOperand: true },
  );
  const words =
    verb === 'exec'
      ? sortArguments(after, ['p', 'package', 'c', 'call', 'w', 'workspace', 'prefix'], {
          stopsAtOperand: true,
        }).operands
      : rest;
  for (const { kind, text } of valuesOf('c', 'call')) {
    if (kind === 'exact') shell.script(text);
    else shell.unresolved(`${manager} runs a command that is not known`);
  }
  const wanted = valuesOf('p', 'package');
  const [program, ...more] = words;
  if (verb === 'init') {
    if (program && !program.text.startsWith('-'))
      installs({ manager, packages: [program], runsScripts: true }, shell);
    else shell.writes(exact('package.json'));
    return;
  }
  if (wanted.length > 0) installs({ manager, packages: wanted, runsScripts: true }, shell);
  if (!program) return;
  runTool(
    {
      manager,
      program,
      args: more,
      stdin,
      isInstalled: has('no-install', 'no') || (!/x$/.test(manager) && args[0]?.text === 'exec'),
    },
    shell,
  );
}

interface ToolRun {
  readonly manager: string;
  readonly program: ExpandedWord;
  readonly args: readonly ExpandedWord[];
  readonly stdin: ExpandedWord | undefined;
  readonly isInstalled: boolean;
}

function runTool(
  { manager, program, args, stdin, isInstalled }: ToolRun,
  shell: ShellPort,
): undefined {
  // `npm exec touch` runs any program of the search path.
  const isLocal = isInstalled && program.kind === 'exact' && shell.programNamed(program.text);
  if (isLocal || (isInstalled && !/^[\w@/.-]+$/.test(program.text))) {
    shell.run([program, ...args], stdin);
    return;
  }
  const name = program.text.replace(/(.)@[^/]*$/, '$1');
  const tool = name.replace(/^@[^/]+\//, '');
  const isPinnedElsewhere =
    /(.)@(?!latest$)[^/]*$/.test(program.text) && program.text.includes('://');
  const known =
    program.kind === 'exact' && !isPinnedElsewhere && isDeveloperTool(tool)
      ? shell.programNamed(tool)
      : undefined;
  if (known) {
    known({ name: tool, args, stdin, shell });
    return;
  }
  const [directory] = shell.directories;
  const found =
    program.kind === 'exact' &&
    /^[\w@/.-]+$/.test(name) &&
    shell.textOf(`${directory}/node_modules/.bin/${tool}`) !== undefined;
  if (isInstalled || found) runsProject(shell);
  else installs({ manager, packages: [program], runsScripts: true }, shell);
}

const otherTools = new Set(
  nameList(`
  prisma drizzle-kit supabase wrangler vercel netlify firebase sequelize knex typeorm
  tsx ts-node nodemon rimraf cross-env dotenv node zx
`),
);

/** Not `npx rm`: only what is a package of developers. */
function isDeveloperTool(name: string): boolean {
  return otherTools.has(name) || isProjectTool(name);
}

/** A script of package.json is shell text, and followed as such. */
function nodeScript({ manager, rest, has }: NodeCall, verb: string, shell: ShellPort): undefined {
  const name = verb === 'run' ? rest[0] : exact(verb);
  if (!name) return;
  if (name.kind !== 'exact') return shell.unresolved(`${manager} runs a script that is not known`);
  for (const directory of shell.directories) {
    const scripts = scriptsOf(shell.textOf(`${directory}/package.json`));
    const text = scripts?.[name.text];
    if (text !== undefined) shell.runKnown(text);
    else if (verb === 'run' && manager !== 'npm' && shell.programNamed(name.text)) {
      shell.run([name, ...rest.slice(1)]);
      return;
    }
  }
  // What follows goes to the script, and could tell it where to write.
  for (const word of rest.slice(1)) if (/^(?:\.\.\/|\/|~)/.test(word.text)) shell.writes(word);
  if (has('help')) return;
  runsProject(shell);
}

function scriptsOf(text: string | undefined): Readonly<Record<string, string>> | undefined {
  try {
    const { scripts } = JSON.parse(text ?? '{}') as { scripts?: unknown };
    return typeof scripts === 'object' && scripts !== null
      ? (scripts as Record<string, string>)
      : undefined;
  } catch {
    return undefined;
  }
}

function npx({ name, args, stdin, shell }: ProgramCall): ExpandedWord | undefined {
  const none = { has: () => false, isUnclear: false, verb: undefined, stdin };
  nodeExec({ ...none, manager: name, rest: [], args: [exact('exec'), ...args] }, 'exec', shell);
  return undefined;
}

export const nodePackagePrograms: Programs = {
  npm: nodeManager,
  pnpm: nodeManager,
  yarn: nodeManager,
  'bun-packages': nodeManager,
  npx,
  pnpx: npx,
  bunx: npx,
  corepack: ({ args, shell }) => {
    const [verb, ...packages] = args;
    if (!/^(?:enable|prepare|use|up|disable)$/.test(verb?.text ?? '')) return shell.run(args);
    installs({ manager: 'corepack', packages, runsScripts: packages.length > 0 }, shell);
    return undefined;
  },
};
export { type Installation, installs };
