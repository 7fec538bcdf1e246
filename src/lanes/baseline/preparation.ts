import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Confinement } from '../../confinement/index.ts';
import { fault, type MakeIdentifier, sha256, tryOr } from '../../kernel/index.ts';
import { type Config, plainPath, type ServiceConfig } from '../../system/index.ts';
import { git } from '../change/git.ts';
import type { VersionTree } from '../change/trees.ts';
import type { Host, StepSpec } from '../host/host.ts';
import { SerialQueue } from '../lane/serial-queue.ts';
import { GoCache } from './go-cache.ts';
import { InstallCache } from './install-cache.ts';
import { manifestDigest } from './manifests.ts';
import { installsAllMembers, workspaceRoot } from './workspace-root.ts';

export interface PreparationDeps {
  readonly host: Host;
  /** Where packages and compiled code are kept for other versions, and what was done once. */
  readonly cache: string;
  readonly makeIdentifier: MakeIdentifier;
  readonly confinement: Confinement;
  /** Where surety.yaml stands. */
  readonly root: string;
}

/** What is asked for before a version of a service can start. */
export interface PreparationRequest {
  readonly service: string;
  readonly config: ServiceConfig;
  readonly tree: VersionTree;
  /** Its install and build may be what an agent wrote. */
  readonly isConfined?: boolean;
  /** The change that made this version; null for one that ran already. */
  readonly change?: string | null;
}

type Step = Omit<StepSpec, 'name' | 'log' | 'environment' | 'confinedTo'> & {
  readonly what: 'install' | 'build' | 'migration' | 'seed';
  readonly of: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly confinedTo?: VersionTree | undefined;
};

/** Installs, builds, migrations and seeds: each only when what it is made of has changed. */
export class Preparation {
  readonly #deps: PreparationDeps;
  readonly #installs: InstallCache;
  readonly #goCache: GoCache;
  readonly #buildQueues = new Map<string, SerialQueue>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(deps: PreparationDeps) {
    this.#deps = deps;
    this.#installs = new InstallCache(join(deps.cache, 'installs'));
    this.#goCache = new GoCache(join(deps.cache, 'go'));
  }

  async service(unprepared: PreparationRequest): Promise<void> {
    await this.#install(unprepared);
    await this.#build(unprepared);
  }

  /**
   * Several services of one version. Installs come first, one by one: after each of them we move
   * packages as the owner, and no program of the version may run meanwhile that could put a link in
   * our way.
   */
  async services(unprepared: readonly PreparationRequest[]): Promise<void> {
    for (const one of unprepared) await this.#install(one);
    const builds = await Promise.allSettled(unprepared.map((one) => this.#build(one)));
    const failed = builds.find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  /** The live stores, with the migrations of the version that is about to run. */
  async stores({ datastores, services }: Config, tree: VersionTree): Promise<void> {
    const ours = Object.entries(datastores).filter(([name]) => isOurs(services, name));
    const each = ours.map(async ([of, store]) => {
      const { variable, url, migrations, seeds } = store;
      const run = async (what: 'migration' | 'seed', step: NonNullable<typeof seeds>) => {
        const directory = join(tree.root, step.directory);
        const isConfined = this.#deps.confinement.confinesBaseline;
        await this.prepareStep(step.directory, services, { tree, isConfined });
        const environment = { ...step.environment, [variable]: url };
        return this.#run({ what, of, command: step.command, directory, environment });
      };
      if (migrations) await run('migration', migrations);
      if (!seeds) return;
      // Once for each place: a second seed would duplicate the data.
      const stamp = join(this.#deps.cache, 'seeds', of);
      await onceFor(stamp, sha256(`${url}\n${seeds.command}`), () => run('seed', seeds));
    });
    await Promise.all(each);
  }

  /** A migration in the directory of a service needs what the service needs. */
  async prepareStep(
    directory: string,
    services: Config['services'],
    version: Omit<PreparationRequest, 'service' | 'config'>,
  ): Promise<void> {
    const beside = Object.entries(services).filter(
      ([, config]) => !config.isElsewhere && plainPath(config.directory) === plainPath(directory),
    );
    for (const [service, config] of beside) await this.service({ service, config, ...version });
  }

  async #install({
    service,
    config,
    tree,
    change = null,
    isConfined,
  }: PreparationRequest): Promise<void> {
    const { install: command } = config;
    if (command === undefined) return;
    const place = join(tree.root, config.directory);
    const root = workspaceRoot(place, tree.top);
    const directory = installsAllMembers(command) ? root : place;
    const digest = manifestDigest(directory, tree.root, command);
    const confinedTo = isConfined ? tree : undefined;
    const run = async (): Promise<void> => {
      await this.#run({ what: 'install', of: service, command, directory, confinedTo });
      checkInside(root, tree.top);
    };
    // Two services of one directory or workspace need it once.
    await this.#alone(`${directory}\n${digest}`, () =>
      tree.commit === ''
        ? onceFor(stampFile(tree, `install-${sha256(directory).slice(0, 8)}`), digest, run)
        : this.#installs.provide({ directory: root, digest, run, change }),
    );
  }

  async #build({
    service,
    config,
    tree,
    isConfined,
    change = null,
  }: PreparationRequest): Promise<void> {
    const { build: command } = config;
    if (command === undefined) return;
    const directory = join(tree.root, config.directory);
    const confinedTo = isConfined ? tree : undefined;
    const data = change === null ? [this.#goCache.directory] : [];
    const run = (): Promise<void> =>
      this.#run({ what: 'build', of: service, command, directory, confinedTo, data });
    // Without a repository, changes cannot be detected.
    if (tree.commit === '') return run();
    const paths = config.paths.length > 0 ? [...config.paths, config.directory] : ['.'];
    // Of the commit, and not in its tree: an install may have left a trap for git there.
    const files = await git(this.#deps.root, ['ls-tree', '-r', tree.commit, '--', ...paths]);
    const manifest = manifestDigest(directory, tree.root, command);
    const digest = sha256(`${manifest}\n${files}`);
    const stamp = stampFile(tree, `build-${service}`);
    await this.#alone(stamp, () =>
      this.#inWorkspace(directory, tree, () => onceFor(stamp, digest, run)),
    );
  }

  /** Builds of members of one workspace build the packages that they share: one after another. */
  async #inWorkspace(
    directory: string,
    { top }: VersionTree,
    work: () => Promise<void>,
  ): Promise<void> {
    const root = workspaceRoot(directory, top);
    if (root === directory) return work();
    const queue = this.#buildQueues.get(root) ?? new SerialQueue();
    this.#buildQueues.set(root, queue);
    await queue.run(work);
  }

  async #alone(key: string, work: () => Promise<void>): Promise<void> {
    const underWay = this.#underWay.get(key) ?? work().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, underWay);
    await underWay;
  }

  async #run({ what, of, environment = {}, confinedTo, ...step }: Step): Promise<void> {
    const { host, makeIdentifier, confinement } = this.#deps;
    const log = `${of}.${what}`;
    const inherited = confinedTo
      ? confinement.inherited()
      : (process.env as Record<string, string>);
    const variables = { ...inherited, ...this.#goCache.variables(), ...environment };
    const name = `${log}.${makeIdentifier('step')}`;
    const known = { ...step, name, log, environment: variables };
    const { failure, lines } = await host.run(confinedTo ? { ...known, confinedTo } : known);
    if (failure === null) return;
    const values = { step: `The ${what}`, service: of, how: failure, command: step.command, log };
    const text = lines.map((line) => `  ${line}`).join('\n');
    const reason = `the ${what} failed: ${failure}`;
    throw fault('STEP_FAILED', { ...values, lines: text }).with({
      service: of,
      reason,
      lines: [...lines],
    });
  }
}

/** What a system that runs elsewhere uses is migrated there, by the version that runs there. */
function isOurs(services: Config['services'], store: string): boolean {
  const users = Object.values(services).filter(({ stores }) => stores.includes(store));
  return users.every(({ isElsewhere }) => !isElsewhere);
}

/** Packages are taken from there as the owner: no link that an install left may lead elsewhere. */
function checkInside(directory: string, top: string): void {
  const expected = join(realpathSync(top), relative(top, directory));
  if (realpathSync(directory) === expected) return;
  const reason = `its install made a link of ${relative(top, directory)}`;
  throw fault('CHANGE_INVALID', { reason });
}

/** Beside the version itself: it goes when the version goes. */
function stampFile({ top }: VersionTree, name: string): string {
  return join(top, '.surety', 'stamps', name);
}

async function onceFor(stamp: string, digest: string, work: () => Promise<void>): Promise<void> {
  if (tryOr(() => readFileSync(stamp, 'utf8'), undefined) === digest) return;
  await work();
  mkdirSync(dirname(stamp), { recursive: true, mode: 0o700 });
  writeFileSync(stamp, digest, { mode: 0o600 });
}
