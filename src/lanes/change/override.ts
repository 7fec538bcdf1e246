import { type Act, type Actor, committedValue, fault } from '../../kernel/index.ts';
import { type Ledger, type Projection, readRow } from '../../ledger/index.ts';
import { type ChangeDeps, type ChangeRequest, changeId, touchedProtected } from './change.ts';

/** That a person let exactly this change touch what is protected. */
export type OverrideRow = {
  readonly change: string;
  readonly proposal: string;
  readonly by: string;
  readonly reason: string;
  /** Whether suites that it edits judge it; overrides before this field existed let them. */
  readonly suites?: boolean;
};

const overrideKey = (change: string): string => `override/${change}`;

export const overriddenChanges: Projection = {
  kinds: ['change-overridden'],
  keys: ({ body }) => [overrideKey(String(body.change))],
  apply: (rows, { body, actor }) => {
    const { change, proposal, reason, suites } = body as OverrideRow;
    const row: OverrideRow = { change, proposal, reason, by: actor };
    const before = rows.get<OverrideRow>(overrideKey(change));
    // Who lets it touch something else later does not take that back, and is not its reason.
    if (suites === false && before && before.suites !== false) return;
    rows.set(overrideKey(change), suites === undefined ? row : { ...row, suites });
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
  { reason, suites, ...request }: ChangeRequest & Pick<OverrideRow, 'reason' | 'suites'>,
  deps: ChangeDeps & { readonly act: Act; readonly ledger: Ledger },
): Promise<{ change: string; files: string[] }> {
  const files = await touchedProtected(request, deps);
  if (files.length === 0) throw fault('CHANGE_INVALID', { reason: 'it touches nothing protected' });
  const change = changeId(request);
  const facts = { change, files };
  const proposal = { actor, tool: 'change.override', facts, arguments: { ...facts, reason } };
  const outcome = await deps.act(proposal, async (grant) => {
    const { base } = request;
    const body = { change, files, reason, suites: suites === true, base, proposal: grant.proposal };
    await deps.ledger.append({ kind: 'change-overridden', actor, body });
    return { change, files };
  });
  return committedValue(outcome);
}
