import { join } from 'node:path';
import { type Fault, fault, sha256 } from '../../kernel/index.ts';
import {
  affectedServices,
  type Config,
  isTestFile,
  parseConfig,
  servicesOf,
} from '../../system/index.ts';
import { laneLimits } from '../limits.ts';
import { withoutSecrets } from '../secrets/secret-variables.ts';
import {
  type ChangeKind,
  type ConfigurationChange,
  configurationChange,
} from './configuration-change.ts';
import { git } from './git.ts';
import { migratedStores } from './migrated-stores.ts';
import { patchVersion } from './patched-version.ts';
import { protectedFiles } from './protected-paths.ts';
import { mayRunTests } from './test-runners.ts';
import type { Trees } from './trees.ts';
import { type WeakenedTest, weakenedTests } from './weakened-tests.ts';

/** A patch on a known version, with the services it touches. Its id names exactly these bytes. */
export type Change = {
  readonly change: string;
  readonly base: string;
  readonly files: readonly string[];
  readonly services: readonly string[];
  readonly kinds: readonly ChangeKind[];
  /** The proposal by which a person allowed it to touch what is protected. */
  readonly override: string | null;
};

/** A change that can be taken: it is a version in git, and nothing of it is checked out yet. */
export interface PreparedChange {
  readonly change: Change;
  /** The id of its tree. */
  readonly tree: string;
  /** The system as the change describes it. */
  readonly config: Config;
  /** Datastores for which it brings migrations. */
  readonly migrates: readonly string[];
}

/** The facts of a change that decide what is verified. */
export type ChangeFacts = Pick<Change, 'files' | 'services'> & {
  readonly kinds: readonly (ChangeKind | 'migrations')[];
};

export interface ChangeRequest {
  readonly patch: string;
  readonly base: string;
}

export interface ChangeDeps {
  readonly trees: Trees;
  readonly config: Config;
  /** How a version describes the system. */
  readonly configAt: (commit: string) => Promise<Config>;
  /** Which proposal allowed this very change to touch what is protected, if one did. */
  readonly overrideOf: (change: string) => Promise<string | null>;
  /** The documents of the policy that holds, with all that they include. */
  readonly policyFiles: () => readonly string[];
}

/** The same patch on another base is another change: what was proven of one is not of the other. */
export function changeId({ patch, base }: ChangeRequest): string {
  return `chg_${sha256(`${base}\n${patch}`).slice(0, 32)}`;
}

/**
 * Whether a change can be tried, and what it is then. Nothing is written outside of git. It may
 * turn round what a test expects: most changes of behaviour do.
 */
export async function prepareChange(
  request: ChangeRequest,
  deps: ChangeDeps,
): Promise<PreparedChange> {
  const examined = await examine(request, deps);
  return prepare(request, examined, await checkProtected(request, examined.guarded, deps));
}

/** Whether it may stay as well: by whose word a test expects something else, is on record. */
export async function prepareLasting(
  request: ChangeRequest,
  deps: ChangeDeps,
): Promise<PreparedChange> {
  const examined = await examine(request, deps);
  const guarded = [...examined.guarded, ...examined.turned];
  return prepare(request, examined, await checkProtected(request, guarded, deps));
}

function prepare(
  request: ChangeRequest,
  { tree, files, own, configured, affected }: ExaminedChange,
  override: string | null,
): PreparedChange {
  const id = changeId(request);
  const services = [...new Set([...affected, ...configured.services])];
  const isSame = configured.isSame && files.length === 1 && own[0] === configFile;
  if (services.length === 0 && !isSame) throw touchesNone(files);
  const kinds: ChangeKind[] = [...configured.kinds];
  if (own.some((file) => file !== configFile)) kinds.unshift('code');
  const change = { change: id, base: request.base, files, services, kinds, override };
  const migrates = migratedStores(configured.config, own);
  return { change, tree, config: configured.config, migrates };
}

/** Of a change that can be taken. */
export function factsOf({ change, migrates }: PreparedChange): ChangeFacts {
  const { files, services, kinds } = change;
  return { files, services, kinds: migrates.length > 0 ? [...kinds, 'migrations'] : kinds };
}

/** One that may stay, and by which something runs otherwise. */
export async function checkChange(request: ChangeRequest, deps: ChangeDeps): Promise<Change> {
  return runnable(await prepareLasting(request, deps)).change;
}

/** Not one that only says in other words how the system is described: nothing is to be run. */
export async function prepareRunnable(
  request: ChangeRequest,
  deps: ChangeDeps,
): Promise<PreparedChange> {
  return runnable(await prepareChange(request, deps));
}

function runnable(prepared: PreparedChange): PreparedChange {
  const { services, files } = prepared.change;
  if (services.length === 0) throw touchesNone(files);
  return prepared;
}

function touchesNone(files: readonly string[]): Fault {
  return fault('CHANGE_TOUCHES_NO_SERVICE', { files: files.join(', ') });
}

/**
 * The files for a decision before the change is prepared; empty for an unreadable patch, which is
 * refused later.
 */
export async function changedFiles(request: ChangeRequest, trees: Trees): Promise<string[]> {
  try {
    const { top } = await trees.repository();
    const { files } = await patchVersion(top, request);
    return files.slice(0, laneLimits.changeFilesMax);
  } catch {
    return [];
  }
}

/** What a change touches that only a person can let it touch. */
export async function touchedProtected(
  request: ChangeRequest,
  deps: ChangeDeps,
): Promise<string[]> {
  const { guarded, turned } = await examine(request, deps);
  return [...guarded, ...turned];
}

/** What a change does, as git tells it, whatever the patch looked like. */
export async function diffOfChange(
  request: ChangeRequest,
  trees: Trees,
  around?: number,
): Promise<string> {
  const { top } = await trees.repository();
  const { tree } = await patchVersion(top, request);
  return diffOf(request.base, tree, top, around);
}

const configFile = 'surety.yaml';

interface ExaminedChange {
  readonly tree: string;
  readonly files: readonly string[];
  /** Those of them that are the system's, named from where surety.yaml stands. */
  readonly own: readonly string[];
  readonly configured: ConfigurationChange;
  /** The services that the files belong to, or that use them. */
  readonly affected: readonly string[];
  /** What of all this only a person can let it touch. */
  readonly guarded: readonly string[];
  /** Tests that expect something else: it can be tried by anybody, and stays by a person. */
  readonly turned: readonly string[];
}

async function examine(request: ChangeRequest, deps: ChangeDeps): Promise<ExaminedChange> {
  checkSize(request.patch);
  const { top, within } = await deps.trees.repository();
  const { tree, files } = await patchVersion(top, request);
  checkCount(files);
  const own = await deps.trees.relativeToSystem(files);
  const configured = await configuredBy(request.base, tree, own, deps);
  const { config } = deps;
  const touched = protectedFiles(files, { config, policyFiles: deps.policyFiles(), top, within });
  const weakened = files.some(decidesTests) ? await weakenedBy(request.base, tree, top) : [];
  const told = (isTurned: boolean): string[] =>
    weakened
      .filter((one) => (one.isTurned ?? false) === isTurned)
      .map(({ file, why }) => `${file} (${why})`);
  const guarded = [...touched, ...configured.guarded, ...told(false)];
  const affected = await affectedBy({ base: request.base, tree, files, own }, configured, deps);
  return { tree, files, own, configured, affected, guarded, turned: told(true) };
}

/** In the order of surety.yaml. Other code is read only if a service could be missing. */
async function affectedBy(
  { base, tree, files, own }: Pick<ExaminedChange, 'tree' | 'files' | 'own'> & ChangedBase,
  { config }: ConfigurationChange,
  { trees }: ChangeDeps,
): Promise<string[]> {
  const owners = servicesOf(config, own);
  const all = Object.keys(config.services);
  if (owners.length === all.length) return owners;
  const { within } = await trees.repository();
  const described = join(within, configFile);
  const byFile = await affectedServices({
    files: files.filter((file) => file !== described),
    config,
    within,
    versions: [await trees.version(base), await trees.version(tree)],
  });
  const affected = new Set([...byFile.values()].flat());
  return all.filter((service) => affected.has(service));
}

interface ChangedBase {
  readonly base: string;
}

function decidesTests(file: string): boolean {
  return isTestFile(file) || mayRunTests(file);
}

/** As git sees it, whatever the patch looked like and its attributes or a configuration say. */
function diffOf(base: string, tree: string, top: string, around = 3): Promise<string> {
  const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--text', '--find-renames'];
  const words = [
    'diff-tree',
    '-p',
    `--unified=${around}`,
    ...plain,
    '--src-prefix=a/',
    '--dst-prefix=b/',
    base,
    tree,
  ];
  return git(top, ['-c', 'core.quotePath=false', ...words]);
}

const formerVersionsMax = 100;

/** Going back to a former version takes the tests along that came with what is undone. */
async function weakenedBy(base: string, tree: string, top: string): Promise<WeakenedTest[]> {
  const weakened = weakenedTests(await diffOf(base, tree, top));
  if (weakened.length === 0) return [];
  const words = ['log', '--format=%T', `--max-count=${formerVersionsMax}`, base];
  const former = (await git(top, words)).split('\n');
  return former.includes(tree) ? [] : weakened;
}

/** A change of surety.yaml changes the services whose description is another one by it. */
async function configuredBy(
  base: string,
  tree: string,
  files: readonly string[],
  { trees, config, configAt }: ChangeDeps,
): Promise<ConfigurationChange> {
  if (!files.includes(configFile)) {
    const unchanged = await configAt(base);
    return configurationChange(unchanged, unchanged);
  }
  const [old, text] = await Promise.all([
    trees.read(base, configFile),
    trees.read(tree, configFile),
  ]);
  // Deleting the file would delete all permissions.
  if (text === null) {
    return { ...configurationChange(config, config), guarded: [configFile], isSame: false };
  }
  const before =
    old === null ? config : parseConfig(old, { path: configFile, environment: process.env });
  const environment = withoutSecrets(process.env, config);
  const after = parseConfig(text, { path: 'surety.yaml of the change', environment });
  return configurationChange(before, after);
}

async function checkProtected(
  request: ChangeRequest,
  touched: readonly string[],
  { overrideOf }: ChangeDeps,
): Promise<string | null> {
  if (touched.length === 0) return null;
  const change = changeId(request);
  const override = await overrideOf(change);
  if (override !== null) return override;
  throw fault('CHANGE_PROTECTED', { files: touched.join(', '), change });
}

function checkSize(patch: string): void {
  const bytes = Buffer.byteLength(patch);
  if (bytes > 0 && bytes <= laneLimits.patchBytesMax) return;
  const reason = `it has ${bytes} bytes; 1 to ${laneLimits.patchBytesMax} are taken`;
  throw fault('CHANGE_INVALID', { reason });
}

function checkCount({ length }: readonly string[]): void {
  if (length <= laneLimits.changeFilesMax) return;
  const reason = `it changes ${length} files; ${laneLimits.changeFilesMax} are taken`;
  throw fault('CHANGE_INVALID', { reason });
}
