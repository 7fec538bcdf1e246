import { gateProjections, type ProposalRow, replayDecisions } from '../../../src/gate/index.ts';
import type { SlotRow } from '../../../src/gate/slots/index.ts';
import type { TaskRow } from '../../../src/gate/tasks/index.ts';
import type { Json } from '../../../src/kernel/index.ts';
import {
  announcedKeys,
  type Projection,
  Projections,
  readEntry,
  rebuildRows,
  type StoreReader,
  verifyLedger,
} from '../../../src/ledger/index.ts';
import type { Wish } from './gate-plan.ts';
import type { Told } from './gate-work.ts';

/** What the world says really happened, by idempotency key. */
export type Effects = Readonly<Record<string, number>>;

export interface Found {
  readonly wishes: readonly Wish[];
  /** All that any process said to any caller, in the order in which it was said. */
  readonly told: readonly Told[];
  readonly effects: Effects;
  /** Whether the clock jumped: what was spent a day ago is no part of the day's budget. */
  readonly jumped?: boolean;
}

const gateOnly: readonly Projection[] = [announcedKeys, ...gateProjections];

/** Everything that is wrong once nothing is under way any more; empty if all is well. */
export async function problemsOf(
  reader: StoreReader,
  found: Found,
  projected = gateOnly,
): Promise<string[]> {
  const rows = await readRows(reader);
  const paid = rowsOf<ProposalRow>(rows, 'proposal/').filter(({ tool }) =>
    /^p(?:ay|ut)/.test(tool),
  );
  return [
    ...doubled(found.effects),
    ...paid.flatMap((row) => endedOtherwise(row, found.effects)),
    ...forgotten(paid, found, await idsOf(reader)),
    ...leftOpen(rows),
    ...(await unbalanced(rows, paid, found, reader)),
    ...(await unsound(reader, new Projections(projected))),
  ];
}

const doubled = (effects: Effects): string[] =>
  Object.entries(effects)
    .filter(([, count]) => count > 1)
    .map(([key, count]) => `${count} effects under ${key}`);

const executorKey = ({ idempotency = '' }: ProposalRow): string => idempotency.slice(12);

/** The ledger and the world tell the same. */
function endedOtherwise(row: ProposalRow, effects: Effects): string[] {
  const key = executorKey(row);
  const happened = `${effects[key] ?? 0} and ${effects[`cancel:${key}`] ?? 0} back`;
  const wanted = { committed: '1 and 0 back', failed: '0 and 0 back', compensated: '1 and 1 back' };
  const should = (wanted as Record<string, string>)[row.status] ?? 'to be over';
  return should === happened ? [] : [`${row.tool} is ${row.status}, yet it happened ${happened}`];
}

/** What was told stays so. */
function forgotten(
  paid: readonly ProposalRow[],
  { told }: Found,
  ids: ReadonlyMap<string, string>,
): string[] {
  const byId = new Map(paid.map((row) => [ids.get(row.proposal), row]));
  return told
    .filter(({ status }) => status === 'committed' || status === 'failed')
    .flatMap(({ id, status, code }) => {
      const now = byId.get(id)?.status ?? 'nowhere';
      const said = code === 'PROPOSAL_COMPENSATED' ? 'compensated' : status;
      return now === said ? [] : [`${id} was told to be ${said} (${code}), and is ${now}`];
    });
}

/** Which wish a proposal was for, by its recorded arguments. */
async function idsOf(reader: StoreReader): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for await (const page of reader.scanEntries(0)) {
    for (const entry of page.map(readEntry)) {
      if (entry.kind !== 'proposal-granted') continue;
      const contents = await reader.contents(entry.seq);
      const given = contents.find(({ name }) => name === 'arguments')?.value;
      const { id } = JSON.parse(given ?? '{}') as { id?: string };
      if (id !== undefined) ids.set(String(entry.body.proposal), id);
    }
  }
  return ids;
}

/** Nothing is reserved, held, locked or in doubt for something that is over. */
function leftOpen(rows: ReadonlyMap<string, Json>): string[] {
  const left: string[] = [];
  for (const [key, value] of rows) {
    if (/^(?:open|unresolved)-proposal\//.test(key)) left.push(`${key} is still there`);
    if (key.startsWith('slots/') && (value as SlotRow).leases.length > 0) {
      left.push(`${key} is still held`);
    }
    if (key.startsWith('task/') && (value as TaskRow).openProposals !== 0) {
      left.push(`${key} has open proposals`);
    }
  }
  return left;
}

type Held = {
  readonly spent: number;
  readonly reserved: number;
  readonly parts?: [number, number][];
};

/** What was spent is what happened, in every account and task. */
async function unbalanced(
  rows: ReadonlyMap<string, Json>,
  paid: readonly ProposalRow[],
  { wishes, jumped = false }: Found,
  reader: StoreReader,
): Promise<string[]> {
  const ids = await idsOf(reader);
  const amounts = new Map(wishes.map(({ id, amount }) => [id, amount]));
  const should = (of: (row: ProposalRow) => boolean): number =>
    paid
      .filter((row) => row.status === 'committed' && of(row))
      .reduce((sum, { proposal }) => sum + (amounts.get(ids.get(proposal) ?? '') ?? 0), 0);
  const problems: string[] = [];
  const compare = (what: string, held: Held | undefined, wanted: number): void => {
    const { reserved = 0, spent = 0, parts = [] } = held ?? {};
    const sum = spent + parts.reduce((total, [, amount]) => total + amount, 0);
    if (reserved !== 0) problems.push(`${what} has ${reserved} reserved`);
    if (sum !== wanted) problems.push(`${what} has spent ${sum} instead of ${wanted}`);
  };
  const account = (scope: string) => (rows.get(`account/${scope}`) ?? {}) as Record<string, Held>;
  compare(
    'money of the workspace',
    account('workspace').money,
    should(() => true),
  );
  if (!jumped) {
    compare(
      'money a day',
      account('workspace')['money/86400000'],
      should(() => true),
    );
  }
  compare(
    'money of ada',
    account('agent:ada').money,
    should(({ actor }) => actor === 'agent:ada'),
  );
  for (const task of rowsOf<TaskRow>(rows, 'task/')) {
    const { money } = task.budgets;
    compare(
      `money of ${task.parent ? 'child' : 'root'}`,
      money,
      should((row) => row.task === task.task),
    );
  }
  return problems;
}

async function unsound(reader: StoreReader, projections: Projections): Promise<string[]> {
  const { problem } = await verifyLedger(reader, { trustedKeys: [] });
  const { differences } = await rebuildRows(reader, projections);
  const replayed = await replayDecisions(reader, projections);
  return [
    ...(problem ? [`the chain: ${JSON.stringify(problem)}`] : []),
    ...differences.map((difference) => `a row: ${JSON.stringify(difference)}`),
    ...replayed.differences.map((difference) => `a decision: ${JSON.stringify(difference)}`),
  ];
}

async function readRows(reader: StoreReader): Promise<Map<string, Json>> {
  const rows = new Map<string, Json>();
  for await (const page of reader.scanRows('')) {
    for (const { key, value } of page) rows.set(key, JSON.parse(value));
  }
  return rows;
}

function rowsOf<Row>(rows: ReadonlyMap<string, Json>, prefix: string): Row[] {
  return [...rows].filter(([key]) => key.startsWith(prefix)).map(([, value]) => value as Row);
}
