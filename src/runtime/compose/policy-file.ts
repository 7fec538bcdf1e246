import { statSync } from 'node:fs';
import type { CompiledPolicy, Notify, PolicyBook } from '../../gate/index.ts';
import {
  type Act,
  type Actor,
  type Clock,
  committedValue,
  fault,
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
  actor: Actor = 'surety:daemon',
): Promise<void> {
  const { hash, mode } = policy;
  if (policies.current?.hash === hash) return;
  const proposal = { actor, tool: 'policy.adopt', arguments: { hash, mode } };
  const outcome = await act(proposal, async () => {
    await policies.adopt(policy, actor);
    return { hash };
  });
  committedValue(outcome);
}

/**
 * Adopts the policy on disk, now and whenever it changes. A broken one at the start leaves none:
 * then agents may do nothing. Later on the last good one stays in force, and that is said loudly.
 * Daemons may share a ledger: one that starts with a file that another policy has replaced leaves
 * the newer policy in force, because nobody has asked to go back.
 */
export class PolicyFile {
  readonly #deps: PolicyDeps;
  #seen = '';
  #files: readonly string[] = [];
  #problem: PolicyProblem | null = null;
  #isStarted = false;
  /** The policy in the file, and the one whose agents this daemon knows. */
  #hash: string | null = null;
  #known: string | null = null;

  constructor(deps: PolicyDeps) {
    this.#deps = deps;
  }

  /** What is wrong with what is on disk now; null when it is in force. */
  get problem(): PolicyProblem | null {
    return this.#problem;
  }

  /** Looks whether the file or the policy in force has changed; cheap enough for every second. */
  async look(): Promise<void> {
    if (this.#stamp() !== this.#seen) await this.adopt();
    else await this.#follow();
  }

  async adopt(): Promise<void> {
    const { place, config } = this.#deps;
    this.#files = workspacePolicyFiles(place, config);
    this.#seen = this.#stamp();
    try {
      const policy = readPolicy(place, config);
      this.#hash = policy.hash;
      if (await this.#isReplaced(policy.hash)) await this.#follow();
      else await this.#adopt(policy);
    } catch (error) {
      await this.#reject(error);
    } finally {
      this.#isStarted = true;
    }
  }

  /** Only where daemons share a ledger, and at the start: later somebody edited the file. */
  async #isReplaced(hash: string): Promise<boolean> {
    const { config, policies } = this.#deps;
    if (this.#isStarted || config.ledger.store !== 'postgres') return false;
    return (await policies.replacedVersion(hash)) !== null;
  }

  /** A person wants the file to be in force, also if a newer policy replaced it. */
  async adoptFor(actor: Actor): Promise<void> {
    const { place, config } = this.#deps;
    const policy = readPolicy(place, config);
    this.#hash = policy.hash;
    await this.#adopt(policy, actor);
  }

  /** Another daemon may have adopted a policy. */
  async #follow(): Promise<void> {
    const { policies, onAdopted } = this.#deps;
    await policies.reload();
    const { current, hash } = policies;
    if (current && hash !== this.#known) onAdopted(current);
    this.#known = hash;
    if (this.#hash === null || hash === null) return;
    if (hash === this.#hash) this.#problem = null;
    else if (!this.#problem) await this.#noteReplaced(this.#hash);
  }

  async #noteReplaced(hash: string): Promise<void> {
    const { policies, log, clock } = this.#deps;
    const [own, inForce] = [await policies.replacedVersion(hash), await policies.version()];
    const { message, remedy } = fault('POLICY_REPLACED', { own: own ?? 0, inForce: inForce ?? 0 });
    const reason = `${message} ${remedy}`;
    this.#problem = { at: clock.now(), reason };
    log('warn', 'policy-replaced', { reason });
  }

  /** At the start nobody can say that the last one is still meant: then there is none. */
  async #reject(error: unknown): Promise<void> {
    const { policies, log, clock, notify } = this.#deps;
    const reason = toFault(error).message;
    this.#hash = null;
    this.#problem = { at: clock.now(), reason };
    if (!this.#isStarted) policies.drop();
    const inForce = policies.current?.hash ?? 'none: agents may do nothing';
    log('error', 'policy-rejected', { reason, inForce });
    await policies.reject(error, 'surety:daemon');
    notify({ event: 'policy-rejected', facts: { reason, inForce } });
  }

  async #adopt(policy: CompiledPolicy, actor?: Actor): Promise<void> {
    await adoptPolicy(policy, this.#deps, actor);
    this.#deps.onAdopted(policy);
    this.#known = policy.hash;
    this.#problem = null;
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
