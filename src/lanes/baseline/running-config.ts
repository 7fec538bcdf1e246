import { type Config, parseConfig } from '../../system/index.ts';
import type { Trees } from '../change/trees.ts';
import { withoutSecrets } from '../secrets/secret-variables.ts';

/** The parts of surety.yaml that a version may change; the rest is about permissions. */
export const systemSections = [
  'services',
  'ingress',
  'frontDoorPort',
  'datastores',
  'queues',
  'overlays',
] as const satisfies readonly (keyof Config)[];

type SystemSections = Pick<Config, (typeof systemSections)[number]>;

export interface RunningConfigDeps {
  readonly trees: Pick<Trees, 'head' | 'read'>;
  /** surety.yaml as it stands in the directory now. */
  readonly readOwn: () => Config;
}

/**
 * How the version that runs is described. That is surety.yaml of the directory, until a version
 * runs that has another one than what is checked out.
 */
export class RunningConfig {
  /**
   * The configuration in force. Every holder shares this object, so it always reads the current
   * values.
   */
  readonly live: Config;
  readonly #deps: RunningConfigDeps;
  #commit = '';

  constructor(own: Config, deps: RunningConfigDeps) {
    this.live = { ...own };
    this.#deps = deps;
  }

  /** From now on this version runs. Throws, and leaves all as it was, when it can't be read. */
  async follow(commit: string): Promise<void> {
    const sections = await this.#sectionsOf(commit, process.env);
    this.#commit = commit;
    for (const name of systemSections) delete (this.live as Partial<Config>)[name];
    Object.assign(this.live, sections);
  }

  /** As this version describes the system. */
  async at(commit: string): Promise<Config> {
    if (commit === this.#commit) return this.live;
    // It may be an agent's: until it is promoted it must not be able to name a secret of ours.
    const environment = withoutSecrets(process.env, this.live);
    return { ...without(this.live), ...(await this.#sectionsOf(commit, environment)) };
  }

  async #sectionsOf(commit: string, environment: NodeJS.ProcessEnv): Promise<SystemSections> {
    const { trees, readOwn } = this.#deps;
    const head = await trees.head().catch(() => '');
    if (head === '' || commit === '' || commit === head) return sectionsOf(readOwn());
    const read = (version: string): Promise<string | null> => trees.read(version, 'surety.yaml');
    const [text, checkedOut] = await Promise.all([read(commit), read(head)]);
    // What is edited in the directory and not committed holds for versions that do not differ.
    if (text === null || text === checkedOut) return sectionsOf(readOwn());
    const path = `surety.yaml of version ${commit.slice(0, 12)}`;
    return sectionsOf(parseConfig(text, { path, environment }));
  }
}

function sectionsOf(config: Config): SystemSections {
  const there = systemSections.filter((name) => config[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, config[name]])) as SystemSections;
}

function without(config: Config): Omit<Config, keyof SystemSections> {
  const names: readonly string[] = systemSections;
  const others = Object.entries(config).filter(([name]) => !names.includes(name));
  return Object.fromEntries(others) as Omit<Config, keyof SystemSections>;
}
