import type { PolicyDocument } from '../../src/gate/language/index.ts';
import type { JsonObject } from '../../src/kernel/index.ts';
import { MemoryRows } from '../../src/ledger/index.ts';
import { atMost, type BenchResult, interleave, type Say } from '../bench.ts';
import { openDecision } from './ours.ts';
import { timed, timedRow } from './timed.ts';

const rounds = 9;
const text = { type: 'string', maxLength: 40 };
const amount = { type: 'integer', minimum: 0, maximum: 1_000_000 };
const record = (properties: Record<string, object>): JsonObject =>
  ({ type: 'object', required: Object.keys(properties), properties }) as unknown as JsonObject;

/** What a refund has to keep; four of eleven look at what the agent did before. */
const constraints: readonly ((index: number) => string)[] = [
  () => 'reads.order.status == "delivered"',
  (index) => `arguments.amount + ${index} <= reads.order.total - reads.order.refunded`,
  (index) => `arguments.amount + ${index} <= vars.threshold`,
  () => 'arguments.currency == reads.order.currency',
  (index) => `size(arguments.reason) > ${index % 3}`,
  (index) => `agent.roles.exists(role, role == "support" || role == "role-${index}")`,
  (index) => `task.phase in ["resolve", "phase-${index}"]`,
  () => 'trajectory.exists(step, step.tool == "order.get" && step.outcome == "committed")',
  (index) => `trajectory.all(step, step.tool != "web.fetch" && step.tool != "web.${index}")`,
  () => '!trajectory.exists(step, step.tool == "refund.issue" && step.outcome == "unknown")',
  (index) =>
    `trajectory.filter(step, step.tool == "refund.issue" && step.outcome == "committed").size() < ${3 + index}`,
];

const steps = 20;

interface Scene {
  readonly status: string;
  readonly phase: string;
  readonly last: string;
}

const sound: Scene = { status: 'delivered', phase: 'resolve', last: 'order.get' };
/** Each breaks rules of another kind. */
const broken: readonly Scene[] = [
  { ...sound, status: 'shipped' },
  { ...sound, phase: 'triage' },
  { ...sound, last: 'web.fetch' },
];

export async function measureContracts(say: Say): Promise<BenchResult> {
  const [small, large] = [makeContract(11), makeContract(100)];
  const contenders = [small, large];
  say('contracts that look at the trajectory');
  const measured = await interleave(contenders, rounds, say);
  const what = (count: number) => `${count} constraints, a trajectory of ${steps} steps`;
  return {
    bars: [
      atMost('decide.contract.small', what(11), small.microseconds(0.5), 15, 'µs'),
      atMost('decide.contract.large', what(100), large.microseconds(0.5), 120, 'µs'),
    ],
    rows: contenders.map((each) => timedRow(each, measured.get(each.name) ?? [])),
  };
}

function makeContract(count: number) {
  const document = policyWith(count);
  const asks = [sound, ...broken].map((scene) => openScene(document, scene));
  const verdicts = asks.map((ask) => ask());
  if (verdicts.join() !== 'true,false,false,false') {
    throw new Error(`the contract of ${count} constraints says ${verdicts.join()}`);
  }
  const [first, ...others] = asks as [() => boolean, ...(() => boolean)[]];
  const cases = others.flatMap((other) => [first, other]);
  return timed(`contract of ${count} constraints`, cases, (ask) => ask());
}

function policyWith(count: number): PolicyDocument {
  const invariants = Array.from({ length: count }, (_, index) => {
    const constraint = constraints[index % constraints.length] as (typeof constraints)[number];
    const that = constraint(Math.floor(index / constraints.length));
    return { rule: `rule-${index}`, that };
  });
  const anything = record({ id: text });
  return {
    version: 1,
    variables: { threshold: 10_000 },
    tools: {
      'order.get': {
        effect: 'read',
        arguments: anything,
        result: record({ status: text, total: amount, refunded: amount, currency: text }),
      },
      'refund.issue': {
        effect: 'mutating',
        arguments: record({ orderId: text, amount, currency: text, reason: text }),
        reads: { order: { tool: 'order.get', with: { id: 'arguments.orderId' } } },
        invariants,
      },
    },
    roles: { support: {}, viewer: {} },
    agents: { ada: { tools: ['*'], roles: ['viewer', 'support'] } },
  };
}

/** The whole `decide()` for a task whose agent did these steps before. */
function openScene(document: PolicyDocument, { status, phase, last }: Scene): () => boolean {
  const rows = new MemoryRows();
  const trajectory = Array.from({ length: steps }, (_, index) => {
    const tool = index === 0 ? 'order.get' : index === steps - 1 ? last : `note.add-${index}`;
    return `${tool} 0123456789abcdef committed - prop_${index}`;
  });
  rows.set('trajectory/task_1', { steps: trajectory, seen: { 'order.get': 1 } });
  rows.set('task/task_1', {
    task: 'task_1',
    parent: null,
    path: [],
    agent: 'agent:ada',
    status: 'open',
    tools: null,
    resources: null,
    phases: [phase],
    phase,
    budgets: {},
    children: 0,
    openProposals: 0,
    expiresAt: null,
    openedSeq: 1,
    endedSeq: 0,
  });
  const decide = openDecision(document, rows);
  const given = { orderId: 'ord_1', amount: 4_500, currency: 'EUR', reason: 'arrived broken' };
  const reads = { order: { status, total: 9_900, refunded: 0, currency: 'EUR' } };
  return () => decide('refund.issue', given, reads, 'task_1').verdict === 'allow';
}
