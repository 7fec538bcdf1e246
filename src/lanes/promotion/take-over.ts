import type { Actor } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { Baseline } from '../baseline/baseline.ts';
import type { Trees, VersionTree } from '../change/trees.ts';

export interface TakeOver {
  readonly services: readonly string[];
  readonly from: string;
  readonly to: RunnableVersion;
}

/** A version, and how the system is described in it. */
export interface RunnableVersion {
  readonly tree: VersionTree;
  readonly config: Config;
}

export interface TakeOverDeps {
  readonly baseline: Pick<Baseline, 'swap'>;
  readonly trees: Pick<Trees, 'open'>;
  readonly configAt: (commit: string) => Promise<Config>;
}

/**
 * All services or none: where one can't be started in its new version, those that were swapped
 * before it go back, so that what runs is one version and the one that everybody believes in.
 */
export async function takeOver(
  { services, from, to }: TakeOver,
  actor: Actor,
  deps: TakeOverDeps,
): Promise<void> {
  const swapped: string[] = [];
  try {
    for (const service of services) {
      await deps.baseline.swap(service, to, actor);
      swapped.push(service);
    }
  } catch (error) {
    await goBack({ services: swapped.toReversed(), from }, actor, deps).catch(() => undefined);
    throw error;
  }
}

async function goBack(
  { services, from }: Pick<TakeOver, 'services' | 'from'>,
  actor: Actor,
  deps: TakeOverDeps,
): Promise<void> {
  const before = { tree: await deps.trees.open(from), config: await deps.configAt(from) };
  for (const service of services) {
    // A service that cannot go back must not stop the rollback of the others; the original failure
    // is thrown.
    await deps.baseline.swap(service, before, actor).catch(() => undefined);
  }
}
