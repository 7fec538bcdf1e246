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

/** A policy file that could not be adopted. */
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

/** Adopting a policy is itself an effect, and is proposed like any other. */
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
 * Adopts the policy file at the start and whenever it changes. If it is invalid at the start, no
 * policy is in force, and agents may do nothing. If it becomes invalid later, the last valid one
 * stays in force, and the problem is reported. Daemons may share a ledger: one that starts with a
 * file that another policy has replaced leaves the newer policy in force, because nobody has asked
 * to go back.
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

  /** What is wrong with the current file; null if it is in force. */
  get problem(): PolicyProblem | null {
    return this.#problem;
  }

  /** Checks whether the file or the policy in force has changed; cheap enough for every second. */
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

  /** Only at the start, and only if daemons share a ledger: later, somebody has edited the file. */
  async #isReplaced(hash: string): Promise<boolean> {
    const { config, policies } = this.#deps;
    if (this.#isStarted || config.ledger.store !== 'postgres') return false;
    return (await policies.replacedVersion(hash)) !== null;
  }

  /** A person puts the file in force, even if a newer policy replaced it. */
  async adoptFor(actor: Actor): Promise<void> {
    const { place, config } = this.#deps;
    const policy = readPolicy(place, config);
    this.#hash = policy.hash;
    await this.#adopt(policy, actor);
  }

  /** Follows a policy that another daemon has adopted. */
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

  /** At the start nobody can know that the last policy is still wanted, so none is in force. */
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

  /** Changes when the document or an included file changes. */
  #stamp(): string {
    return this.#files.map(stampOf).join('\n');
  }
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : 'missing';
}
