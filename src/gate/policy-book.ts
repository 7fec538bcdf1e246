import { type Actor, type JsonObject, toFault } from '../kernel/index.ts';
import { type Ledger, type Projection, readRow } from '../ledger/index.ts';
import type { CompiledPolicy } from './language/index.ts';
import { policyContent, readPolicyContent } from './policy-content.ts';

/** The policy in force: its hash, and the entry that contains it. Null if nothing is allowed. */
export type PolicyRow = {
  readonly hash: string | null;
  readonly seq: number;
  /** Counts the policies of this ledger; absent if an earlier version of Surety adopted it. */
  readonly version?: number;
};

export const policyKey = 'policy';

/** The last version under which a policy was in force. */
type VersionRow = { readonly version: number };

const versionKey = (hash: string): string => `policy-version/${hash}`;

export const adoptedPolicy: Projection = {
  kinds: ['policy-adopted', 'policy-rejected'],
  keys: ({ body }) => [policyKey, ...(body.version ? versionsOf(body).map(([key]) => key) : [])],
  apply: (rows, { kind, body, seq }) => {
    const { version } = rows.get<PolicyRow>(policyKey) ?? {};
    const kept = version === undefined ? {} : { version };
    // An invalid policy at startup leaves none in force; later the last valid one stays.
    if (kind === 'policy-rejected') {
      if (!body.kept) rows.set(policyKey, { hash: null, seq, ...kept });
      return;
    }
    const numbered = body.version === undefined ? {} : { version: Number(body.version) };
    rows.set(policyKey, { hash: String(body.hash), seq, ...numbered });
    if (body.version) for (const [key, row] of versionsOf(body)) rows.set(key, row);
  },
};

/** Also of the policy that is replaced, which an earlier version of Surety may have adopted. */
function versionsOf({ hash, replaces, version }: JsonObject): [string, VersionRow][] {
  const before = replaces ? [[versionKey(String(replaces)), Number(version) - 1] as const] : [];
  const all = [...before, [versionKey(String(hash)), Number(version)] as const];
  return all.map(([key, number]) => [key, { version: number }]);
}

/** The compiled policy in force, and the others that were loaded. */
export class PolicyBook {
  readonly #ledger: Ledger;
  readonly #byHash = new Map<string, CompiledPolicy>();
  #current: CompiledPolicy | null = null;
  #hash: string | null = null;
  #isClosed = false;

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

  /**
   * Records the policy unless it is in force already, so that every decision can name it. With
   * `unlessReplaced`, a policy that another one has replaced is not adopted again: returns false.
   */
  async adopt(
    policy: CompiledPolicy,
    actor: Actor,
    { unlessReplaced = false } = {},
  ): Promise<boolean> {
    const { hash, mode } = policy;
    const isAdopted = await this.#ledger.transact({
      keys: [policyKey, versionKey(hash)],
      decide: (rows) => {
        const row = rows.get<PolicyRow>(policyKey);
        const before = row?.hash ?? null;
        if (before === hash) return { drafts: [], result: () => true };
        const isReplaced = before !== null && rows.get<VersionRow>(versionKey(hash)) !== undefined;
        if (unlessReplaced && isReplaced) return { drafts: [], result: () => false };
        const version = (row?.version ?? (before ? 1 : 0)) + 1;
        const body = { hash, mode, version, ...(before ? { replaces: before } : {}) };
        const contents = [policyContent(policy)];
        const draft = { kind: 'policy-adopted', actor, body, contents };
        return { drafts: [draft], result: () => true };
      },
    });
    this.#byHash.set(hash, policy);
    this.#isClosed = false;
    if (!isAdopted) return false;
    this.#current = policy;
    this.#hash = hash;
    return true;
  }

  /** Allows nothing through this daemon until it adopts a policy. */
  close(): void {
    this.#isClosed = true;
    this.#current = null;
  }

  /**
   * Records the mistakes of a policy, and which valid one stays in force. On a shared ledger that
   * is the one that the other daemons use: a broken file here takes nothing away from them.
   */
  async reject(error: unknown, actor: Actor, { isShared = false } = {}): Promise<void> {
    const { code, message } = toFault(error);
    const row = isShared ? await readRow<PolicyRow>(this.#ledger, policyKey) : undefined;
    const kept = this.#current?.hash ?? row?.hash;
    const body = { code, reason: message.slice(0, 4_000), ...(kept ? { kept } : {}) };
    await this.#ledger.append({ kind: 'policy-rejected', actor, body });
    this.#hash = kept ?? null;
  }

  /** Loads the policy in force from the ledger: another daemon may have adopted it. */
  async reload(): Promise<void> {
    const row = await readRow<PolicyRow>(this.#ledger, policyKey);
    this.#hash = row?.hash ?? null;
    const isOpen = row?.hash && !this.#isClosed;
    this.#current = isOpen ? await this.find(row.hash, row.seq).catch(() => null) : null;
  }

  /** The number of the policy in force; null if there is none, or if it has no number. */
  async version(): Promise<number | null> {
    const row = await readRow<PolicyRow>(this.#ledger, policyKey);
    return row?.hash ? (row.version ?? null) : null;
  }

  /** The number under which a policy was in force before it was replaced; null if it never was. */
  async replacedVersion(hash: string): Promise<number | null> {
    const row = await readRow<PolicyRow>(this.#ledger, policyKey);
    // Without a policy in force, nothing has replaced it.
    if (!row?.hash || row.hash === hash) return null;
    return (await readRow<VersionRow>(this.#ledger, versionKey(hash)))?.version ?? null;
  }

  async find(hash: string, seq: number): Promise<CompiledPolicy> {
    const known = this.#byHash.get(hash);
    if (known) return known;
    const policy = readPolicyContent(await this.#ledger.contents(seq), hash, seq);
    this.#byHash.set(hash, policy);
    return policy;
  }
}
