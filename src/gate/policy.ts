import type { Projection } from '../ledger/index.ts';

/** Which agent may propose what. */
export type Policy = {
  readonly agents: Readonly<Record<string, { readonly tools: readonly string[] }>>;
};

export type PolicyRow = Policy & { readonly hash: string };

export const policyKey = 'policy';

export const adoptedPolicy: Projection = {
  kinds: ['policy-adopted'],
  keys: () => [policyKey],
  apply: (rows, { body }) => {
    const { agents, hash } = body as unknown as PolicyRow;
    rows.set(policyKey, { agents, hash });
  },
};
