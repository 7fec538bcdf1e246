import type { PolicyDocument } from '../../../src/gate/index.ts';
import { seeded } from '../seeded.ts';

/** One call that an agent wants, and how the world will take it. */
export interface Wish {
  /** Also its idempotency key. */
  readonly id: string;
  readonly agent: 'ada' | 'bob' | 'eve';
  readonly tool: 'pay' | 'pay.large' | 'pay.outside' | 'put';
  readonly order: string;
  readonly amount: number;
  /** `slow`: what was sent takes effect later, whoever sent it may be gone by then. */
  readonly mode: 'ok' | 'refuse' | 'break' | 'lost' | 'stuck' | 'slow';
  readonly task: 'none' | 'root' | 'child';
}

const text = { type: 'string', maxLength: 80 };
const amount = { type: 'integer', minimum: 1, maximum: 1_000_000 };
const wished = {
  type: 'object',
  required: ['id', 'order', 'amount', 'mode'],
  properties: { id: text, order: text, amount, mode: text },
};
const keyed = { type: 'object', required: ['key'], properties: { key: text } };
const post = (url: string) => ({ http: { method: 'POST' as const, url } });
const effects = '${EFFECTS_URL}/effects';

const found = (key: string, count = 'count') => ({
  reconcile: {
    read: 'effect.find',
    with: { key },
    committed: `read.${count} == 1.0 && !read.stuck`,
    failed: `read.${count} == 0.0`,
  },
});

const putRight = [
  found('key'),
  {
    compensate: {
      tool: 'effect.cancel',
      with: { key: 'key' },
      when: 'has(read.stuck) && read.stuck',
    },
  },
  { hold: { reason: 'nothing tells whether it was paid' } },
];

const paying = {
  effect: 'mutating' as const,
  arguments: wished,
  recovery: { steps: putRight },
};
const governance = {
  key: 'arguments.id',
  cost: { money: 'arguments.amount' },
  timeout: '5s',
};
const lock = '"order/" + arguments.order';
const loops = { sameProposal: 100, sameError: 100, cycle: 10 };
const own = { tools: ['pay*', 'put', 'task.*'], limits: loops };

/** With executors outside that hold their lock for so long. */
export const crashPolicy = (lease = '30s'): PolicyDocument => ({
  version: 1,
  tools: {
    'effect.find': {
      effect: 'read',
      arguments: keyed,
      run: { http: { method: 'GET', url: `${effects}/{key}` } },
    },
    'effect.cancel': {
      effect: 'idempotent',
      arguments: keyed,
      run: post(`${effects}/{key}/cancel`),
      recovery: {
        steps: [
          {
            reconcile: {
              read: 'effect.find',
              with: { key: 'arguments.key' },
              committed: 'read.cancelled == 1.0',
              failed: 'read.cancelled == 0.0',
            },
          },
          { retry: { times: 2, backoff: '10ms' } },
        ],
      },
    },
    pay: {
      ...paying,
      run: post(effects),
      governance: { ...governance, concurrency: { lock, lease: '30s' } },
    },
    'pay.large': {
      ...paying,
      run: post(effects),
      governance: { ...governance, approval: { role: 'approver', within: '1h' } },
    },
    'pay.outside': {
      ...paying,
      governance: {
        ...governance,
        timeout: lease,
        concurrency: { max: 3, lock, lease },
        reported: true,
      },
    },
    put: {
      effect: 'idempotent',
      arguments: wished,
      // Twice is once there.
      run: post(`${effects}?once=1`),
      governance: { cost: { money: 'arguments.amount' }, timeout: '5s' },
      recovery: { steps: [found('key'), { retry: { times: 2, backoff: '10ms' } }, ...putRight] },
    },
  },
  agents: {
    ada: { ...own, budgets: [{ dimension: 'money', limit: 2_000 }] },
    bob: {
      ...own,
      budgets: [{ dimension: 'calls', limit: 500 }],
      limits: { ...loops, concurrency: 3 },
    },
    eve: own,
  },
  budgets: [
    { dimension: 'money', limit: 1_000_000, per: '1d' },
    { dimension: 'money', limit: 1_000_000 },
    { dimension: 'calls', limit: 100_000 },
  ],
});

const pick = <Item>(random: () => number, from: readonly Item[]): Item =>
  from[Math.floor(random() * from.length)] as Item;

const modes = ['ok', 'ok', 'ok', 'refuse', 'break', 'lost', 'stuck', 'stuck', 'slow'] as const;
const locked: ReadonlySet<string> = new Set(['pay', 'pay.outside']);

/** The same wishes for the same seed; some of them twice, as impatient callers send them. */
export function plan(seed: number, count = 14): Wish[] {
  const random = seeded(seed);
  const wishes: Wish[] = [];
  for (let index = 0; index < count; index++) {
    const agent = pick(random, ['ada', 'bob', 'eve'] as const);
    const tool = pick(random, ['pay', 'pay', 'pay.large', 'pay.outside', 'put'] as const);
    const mode = pick(random, modes);
    wishes.push({
      id: `s${seed}-${index}`,
      agent,
      tool,
      order: `s${seed}-order-${Math.floor(random() * 4)}`,
      amount: 1 + Math.floor(random() * 300),
      // Only a lock keeps what is late from happening after somebody has looked.
      mode: mode === 'slow' && !locked.has(tool) ? 'ok' : mode,
      task: agent === 'eve' ? pick(random, ['none', 'root', 'child'] as const) : 'none',
    });
  }
  return wishes.flatMap((wish) => (random() < 0.3 ? [wish, wish] : [wish]));
}
