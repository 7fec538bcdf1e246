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
  { actor = 'surety:daemon', unlessReplaced = false }: Adoption = {},
): Promise<boolean> {
  const { hash, mode } = policy;
  if (policies.current?.hash === hash) return true;
  const proposal = { actor, tool: 'policy.adopt', arguments: { hash, mode } };
  const outcome = await act(proposal, async () => ({
    hash,
    isAdopted: await policies.adopt(policy, actor, { unlessReplaced }),
  }));
  return committedValue(outcome).isAdopted;
}

interface Adoption {
  readonly actor?: Actor;
  /** Leaves a newer policy in force if one has replaced this one. */
  readonly unlessReplaced?: boolean;
}

/**
 * Adopts the policy file at the start and whenever it changes. If it is invalid at the start, the
 * agents of this daemon may do nothing. If it becomes invalid later, the last valid one stays in
 * force, and the problem is reported. Daemons may share a ledger: one that starts with a file that
 * another policy has replaced leaves the newer policy in force, since nobody has asked to go back.
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
      // Later than at the start, somebody has edited the file.
      const unlessReplaced = !this.#isStarted && this.#isShared;
      const isReplaced = unlessReplaced && (await this.#isReplaced(policy.hash));
      if (isReplaced || !(await this.#adopt(policy, { unlessReplaced }))) await this.#follow();
    } catch (error) {
      await this.#reject(error);
    } finally {
      this.#isStarted = true;
    }
  }

  get #isShared(): boolean {
    return this.#deps.config.ledger.store === 'postgres';
  }

  /** Saves the proposal to adopt it. Whether it is replaced is decided when it is adopted. */
  async #isReplaced(hash: string): Promise<boolean> {
    return (await this.#deps.policies.replacedVersion(hash)) !== null;
  }

  /** A person puts the file in force, even if a newer policy replaced it. */
  async adoptFor(actor: Actor): Promise<void> {
    const { place, config } = this.#deps;
    const policy = readPolicy(place, config);
    this.#hash = policy.hash;
    await this.#adopt(policy, { actor });
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
    if (!this.#isStarted) policies.close();
    const inForce = policies.current?.hash ?? 'none: agents may do nothing';
    log('error', 'policy-rejected', { reason, inForce });
    await policies.reject(error, 'surety:daemon', { isShared: this.#isShared });
    notify({ event: 'policy-rejected', facts: { reason, inForce } });
  }

  async #adopt(policy: CompiledPolicy, adoption: Adoption): Promise<boolean> {
    if (!(await adoptPolicy(policy, this.#deps, adoption))) return false;
    this.#deps.onAdopted(policy);
    this.#known = policy.hash;
    this.#problem = null;
    return true;
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
