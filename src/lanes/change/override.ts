import { type Act, type Actor, committedValue, fault } from '../../kernel/index.ts';
import { type Ledger, type Projection, readRow } from '../../ledger/index.ts';
import { type ChangeDeps, type ChangeRequest, changeId, touchedProtected } from './change.ts';

/** That a person let exactly this change touch what is protected. */
export type OverrideRow = {
  readonly change: string;
  readonly proposal: string;
  readonly by: string;
  readonly reason: string;
};

const overrideKey = (change: string): string => `override/${change}`;

export const overriddenChanges: Projection = {
  kinds: ['change-overridden'],
  keys: ({ body }) => [overrideKey(String(body.change))],
  apply: (rows, { body, actor }) => {
    const { change, proposal, reason } = body as OverrideRow;
    const row: OverrideRow = { change, proposal, reason, by: actor };
    rows.set(overrideKey(change), row);
  },
};

/** The proposal by which a change was let through, if one was. */
export async function findOverride(ledger: Ledger, change: string): Promise<string | null> {
  return (await readOverride(ledger, change))?.proposal ?? null;
}

export function readOverride(ledger: Ledger, change: string): Promise<OverrideRow | undefined> {
  return readRow<OverrideRow>(ledger, overrideKey(change));
}

/** Bound to the bytes of the patch and to its base: another change needs another word. */
export async function overrideChange(
  actor: Actor,
  { reason, ...request }: ChangeRequest & { readonly reason: string },
  deps: ChangeDeps & { readonly act: Act; readonly ledger: Ledger },
): Promise<{ change: string; files: string[] }> {
  const files = await touchedProtected(request, deps);
  if (files.length === 0) throw fault('CHANGE_INVALID', { reason: 'it touches nothing protected' });
  const change = changeId(request);
  const facts = { change, files };
  const proposal = { actor, tool: 'change.override', facts, arguments: { ...facts, reason } };
  const outcome = await deps.act(proposal, async (grant) => {
    const body = { change, files, reason, base: request.base, proposal: grant.proposal };
    await deps.ledger.append({ kind: 'change-overridden', actor, body });
    return { change, files };
  });
  return committedValue(outcome);
}
