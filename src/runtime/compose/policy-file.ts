import { statSync } from 'node:fs';
import type { CompiledPolicy, Notify, PolicyBook } from '../../gate/index.ts';
import {
  type Act,
  type Clock,
  committedValue,
  type Instant,
  type Log,
  toFault,
} from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { WorkspacePlace } from '../place.ts';
import { readPolicy, workspacePolicyFiles } from './policy-source.ts';

/** A policy on disk that could not be adopted. */
export interface PolicyProblem {
  readonly at: Instant;
  readonly reason: string;
}

export interface PolicyDeps {
  readonly place: WorkspacePlace;
  readonly config: Config;
  readonly policies: PolicyBook;
  readonly act: Act;
  readonly log: Log;
  readonly clock: Clock;
  readonly notify: Notify;
  readonly onAdopted: (policy: CompiledPolicy) => void;
}

/** Which policy holds is itself an effect, and goes the way of all effects. */
export async function adoptPolicy(
  policy: CompiledPolicy,
  { policies, act }: Pick<PolicyDeps, 'policies' | 'act'>,
): Promise<void> {
  const { hash, mode } = policy;
  if (policies.current?.hash === hash) return;
  const actor = 'surety:daemon';
  const proposal = { actor, tool: 'policy.adopt', arguments: { hash, mode } } as const;
  const outcome = await act(proposal, async () => {
    await policies.adopt(policy, actor);
    return { hash };
  });
  committedValue(outcome);
}

/**
 * Adopts the policy on disk, now and whenever it changes. A broken one at the start leaves none:
 * then agents may do nothing. Later on the last good one stays in force, and that is said loudly.
 */
export class PolicyFile {
  readonly #deps: PolicyDeps;
  #seen = '';
  #files: readonly string[] = [];
  #problem: PolicyProblem | null = null;
  #isStarted = false;

  constructor(deps: PolicyDeps) {
    this.#deps = deps;
  }

  /** What is wrong with what is on disk now; null when it is in force. */
  get problem(): PolicyProblem | null {
    return this.#problem;
  }

  /** Looks whether it has changed; cheap enough for every second. */
  async look(): Promise<void> {
    if (this.#stamp() !== this.#seen) await this.adopt();
  }

  async adopt(): Promise<void> {
    const { place, config } = this.#deps;
    this.#files = workspacePolicyFiles(place, config);
    this.#seen = this.#stamp();
    try {
      await this.#adopt(readPolicy(place, config));
      this.#problem = null;
    } catch (error) {
      await this.#reject(error);
    } finally {
      this.#isStarted = true;
    }
  }

  /** At the start nobody can say that the last one is still meant: then there is none. */
  async #reject(error: unknown): Promise<void> {
    const { policies, log, clock, notify } = this.#deps;
    const reason = toFault(error).message;
    this.#problem = { at: clock.now(), reason };
    if (!this.#isStarted) policies.drop();
    const inForce = policies.current?.hash ?? 'none: agents may do nothing';
    log('error', 'policy-rejected', { reason, inForce });
    await policies.reject(error, 'surety:daemon');
    notify({ event: 'policy-rejected', facts: { reason, inForce } });
  }

  async #adopt(policy: CompiledPolicy): Promise<void> {
    await adoptPolicy(policy, this.#deps);
    this.#deps.onAdopted(policy);
  }

  /** Of the document and all that it includes. */
  #stamp(): string {
    return this.#files.map(stampOf).join('\n');
  }
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : 'missing';
}
