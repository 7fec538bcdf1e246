import { setTimeout as delay } from 'node:timers/promises';
import type { TaskRow } from '../../../src/gate/tasks/api-schema.ts';
import { findTask, openTask, splitTask } from '../../../src/gate/tasks/index.ts';
import { taskPrefix } from '../../../src/gate/tasks/task-row.ts';
import { isFault, type Outcome, type Proposal, toFault } from '../../../src/kernel/index.ts';
import type { OpenGate } from './gate-place.ts';
import type { Wish } from './gate-plan.ts';

/** What a caller was told about a wish. */
export interface Told {
  readonly id: string;
  readonly status: 'committed' | 'failed' | 'unknown' | 'refused';
  readonly code: string;
}

const agent = 'agent:eve';
const atOnce = 6;
const triesMax = 200;
const waitMs = 1_000;
/** What a killed executor had in flight stays so until its grant ends: no use to wait for that. */
const waitsMax = 3;

/** Asks for every wish until each has an answer that asking again would not change. */
export async function work(
  gate: OpenGate,
  wishes: readonly Wish[],
  effectsUrl: string,
  tell: (told: Told) => void,
): Promise<void> {
  const tasks = await ownTasks(gate);
  const waiting = [...wishes];
  const worker = async (): Promise<void> => {
    for (let wish = waiting.shift(); wish; wish = waiting.shift()) {
      tell(await persist(gate, wish, tasks, effectsUrl));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** A task of eve's and one below it; those of an earlier process, if it had any. */
async function ownTasks(gate: OpenGate): Promise<Record<string, string>> {
  const deps = gate;
  const rows: TaskRow[] = [];
  for await (const { value } of gate.ledger.rows<TaskRow>(taskPrefix)) rows.push(value);
  const root =
    rows.find(({ parent }) => parent === null)?.task ??
    (await openTask(agent, { goal: 'pay', budgets: { money: 3_000, calls: 200 } }, deps)).task;
  const child =
    rows.find(({ parent }) => parent === root)?.task ??
    (await splitTask(agent, root, { goal: 'pay some', budgets: { money: 900 } }, deps)).task;
  await findTask(gate.ledger, child);
  return { root, child };
}

async function persist(
  gate: OpenGate,
  wish: Wish,
  tasks: Record<string, string>,
  effectsUrl: string,
): Promise<Told> {
  const { id, tool, order, amount, mode } = wish;
  const proposal: Proposal = {
    actor: `agent:${wish.agent}`,
    tool,
    arguments: { id, order, amount, mode },
    key: id,
    // A wait for approval would be in vain: the one who approves is the one who waits.
    ...(tool === 'pay.large' ? {} : { waitMs }),
    ...(wish.task === 'none' ? {} : { task: tasks[wish.task] as string }),
  };
  let inFlight = 0;
  for (let tries = 1; ; tries++) {
    try {
      const outcome = await (tool === 'pay.outside'
        ? payOutside(gate, proposal, effectsUrl)
        : gate.propose(proposal));
      const code = outcome.status === 'failed' ? outcome.fault.code : '';
      return { id, status: outcome.status, code };
    } catch (error) {
      const { code, details } = toFault(error);
      if (code === 'PROPOSAL_HELD') await approve(gate, details as Held);
      const rules = (details?.rules ?? []) as { rule: string }[];
      const isLocked = rules.length > 0 && rules.every(({ rule }) => rule === 'concurrency');
      const isWorthIt = waits.has(code) || isLocked;
      if (code === 'PROPOSAL_IN_FLIGHT') inFlight++;
      const isInVain = tries >= triesMax || inFlight >= waitsMax;
      if (!isWorthIt || isInVain) return { id, status: 'refused', code };
      if (code !== 'PROPOSAL_HELD') await delay(30);
    }
  }
}

const waits = new Set(['PROPOSAL_HELD', 'PROPOSAL_IN_FLIGHT', 'GRANT_REFUSED']);

type Held = { readonly approval: string; readonly argumentsHash: string };

async function approve(gate: OpenGate, { approval, argumentsHash }: Held): Promise<void> {
  const answer = { approval, argumentsHash, roles: ['approver'], reason: 'seen' };
  await gate.approve({ ...answer, actor: 'person:grace' }).catch((error) => {
    if (!isFault(error)) throw error;
  });
}

/** An executor of its own: it redeems, calls, and settles with the grant. */
export async function payOutside(
  gate: Pick<OpenGate, 'grant' | 'redeem' | 'settle'>,
  proposal: Proposal,
  effectsUrl: string,
): Promise<Outcome> {
  const granted = await gate.grant(proposal, 'bank');
  if (granted.status !== 'granted') return granted;
  const { token, key } = granted;
  await gate.redeem(token);
  try {
    const response = await fetch(`${effectsUrl}/effects`, {
      method: 'POST',
      headers: { 'idempotency-key': String(key), 'surety-fence': fencesOf(token) },
      body: JSON.stringify(proposal.arguments),
    });
    const value = (await response.json()) as { error?: string };
    if (response.ok) return await gate.settle(token, { status: 'committed', value });
    if (response.status >= 500) return await gate.settle(token, { status: 'unknown' });
    const message = String(value.error);
    return await gate.settle(token, { status: 'failed', code: 'REFUSED', message });
  } catch (error) {
    if (isFault(error)) throw error;
    return gate.settle(token, { status: 'unknown' });
  }
}

/** As its grant says; a place that others have as well is no lock. */
function fencesOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return (claims.fence as { resource: string; fence: number }[])
    .filter(({ resource }) => resource.startsWith('lock:'))
    .map(({ resource, fence }) => `${resource}=${fence}`)
    .join(', ');
}
