import { type Actor, toFault } from '../kernel/index.ts';
import { type Ledger, type Projection, readRow } from '../ledger/index.ts';
import type { CompiledPolicy } from './language/index.ts';
import { policyContent, readPolicyContent } from './policy-content.ts';

/** The policy in force: its hash, and the entry that contains it. Null if nothing is allowed. */
export type PolicyRow = { readonly hash: string | null; readonly seq: number };

export const policyKey = 'policy';

export const adoptedPolicy: Projection = {
  kinds: ['policy-adopted', 'policy-rejected'],
  keys: () => [policyKey],
  apply: (rows, { kind, body, seq }) => {
    if (kind === 'policy-adopted') rows.set(policyKey, { hash: String(body.hash), seq });
    // An invalid policy at startup leaves none in force; later the last valid one stays.
    else if (!body.kept) rows.set(policyKey, { hash: null, seq });
  },
};

/** The compiled policy in force, and the others that were loaded. */
export class PolicyBook {
  readonly #ledger: Ledger;
  readonly #byHash = new Map<string, CompiledPolicy>();
  #current: CompiledPolicy | null = null;
  #hash: string | null = null;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get current(): CompiledPolicy | null {
    return this.#current;
  }

  /** The hash of the policy in force, even if it is unreadable and so allows nothing. */
  get hash(): string | null {
    return this.#hash;
  }

  /** Records the policy unless it is in force already, so that every decision can name it. */
  async adopt(policy: CompiledPolicy, actor: Actor): Promise<void> {
    const { hash, mode } = policy;
    await this.#ledger.transact({
      keys: [policyKey],
      decide: (rows) => {
        const isKnown = rows.get<PolicyRow>(policyKey)?.hash === hash;
        const contents = [policyContent(policy)];
        const draft = { kind: 'policy-adopted', actor, body: { hash, mode }, contents };
        return { drafts: isKnown ? [] : [draft], result: () => undefined };
      },
    });
    this.#byHash.set(hash, policy);
    this.#current = policy;
    this.#hash = hash;
  }

  /** Puts no policy in force until one is adopted. */
  drop(): void {
    this.#current = null;
  }

  /** Records the mistakes of a policy, and whether the last valid one stays. */
  async reject(error: unknown, actor: Actor): Promise<void> {
    const { code, message } = toFault(error);
    const kept = this.#current?.hash;
    const body = { code, reason: message.slice(0, 4_000), ...(kept ? { kept } : {}) };
    await this.#ledger.append({ kind: 'policy-rejected', actor, body });
    if (!kept) this.#hash = null;
  }

  /** Loads the policy in force from the ledger: another daemon may have adopted it. */
  async reload(): Promise<void> {
    const row = await readRow<PolicyRow>(this.#ledger, policyKey);
    this.#hash = row?.hash ?? null;
    this.#current = row?.hash ? await this.find(row.hash, row.seq).catch(() => null) : null;
  }

  async find(hash: string, seq: number): Promise<CompiledPolicy> {
    const known = this.#byHash.get(hash);
    if (known) return known;
    const policy = readPolicyContent(await this.#ledger.contents(seq), hash, seq);
    this.#byHash.set(hash, policy);
    return policy;
  }
}
