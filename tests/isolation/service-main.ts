import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Call, Destination, Item, Served } from './call.ts';
import { sendCall } from './clients.ts';
import type { Manner } from './plan.ts';
import { listen } from './servers.ts';

/** What this service is in the present system; another one for each. */
export interface Part {
  readonly calls: readonly (Destination & { readonly manner: Manner })[];
  readonly order: 'one by one' | 'at once';
  readonly refusesFirst: boolean;
  readonly everyMs: number | null;
  /** The key of a lane whose consumers will be killed: messages to them get no answer. */
  readonly doomed: string | null;
}

export type Order =
  | { readonly kind: 'play'; readonly part: Part }
  | { readonly kind: 'rest' }
  | { readonly kind: 'collect' };

export type Report =
  | { readonly kind: 'ports'; readonly ports: Record<string, number> }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'collected';
      readonly served: Served[];
      readonly pending: number;
      readonly errors: string[];
    };

const service = process.env.SURETY_SERVICE as string;
const instance = process.env.SURETY_INSTANCE as string;
const attemptsMax = 3;
const pendingMax = 10;

let part: Part = {
  calls: [],
  order: 'at once',
  refusesFirst: false,
  everyMs: null,
  doomed: null,
};
let served: Served[] = [];
let errors: string[] = [];
let pending = 0;
let timer: NodeJS.Timeout | undefined;
let ticks = 0;

const ports = await listen(service, async ({ call, trace, after }) => {
  if (part.refusesFirst && call.attempt === 0) return 503;
  for (const item of call.items) served.push({ ...item, service, instance, from: call.from });
  const items = call.items.map((item) => ({ ...item, trail: [...item.trail, service] }));
  const later = part.calls.filter(({ manner }) => manner === 'afterwards');
  after(() => {
    for (const to of later) inBackground({ items, trace }, to);
  });
  return (await work({ items, trace })) ? 200 : 502;
});

/** What a request wants of others, and the trace that it is part of. */
interface Wish {
  readonly items: readonly Item[];
  readonly trace?: string | undefined;
}

/** Whether everything that the answer depends on went well. */
async function work(wish: Wish): Promise<boolean> {
  const now = part.calls.filter(({ manner }) => manner !== 'afterwards');
  if (part.order === 'at once') {
    return (await Promise.all(now.map((to) => reach(wish, to)))).every(Boolean);
  }
  for (const to of now) if (!(await reach(wish, to))) return false;
  return true;
}

type Target = Part['calls'][number];

function reach(wish: Wish, target: Target): Promise<boolean> {
  return target.manner === 'batched' ? joinBatch(wish, target) : tryCall(wish, target);
}

async function tryCall({ items, trace }: Wish, target: Target): Promise<boolean> {
  const statuses: number[] = [];
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const from = `${service} by ${target.client}${target.manner === 'batched' ? ', batched' : ''}`;
    const status = await attemptCall({ items, from, attempt }, target, trace);
    if (status === 200) return true;
    statuses.push(status);
    await delay(1 + attempt);
  }
  errors.push(
    `${service} gave up on ${target.to} by ${target.client}, ${target.manner}: ${statuses.join(', ')} for ${JSON.stringify(items)}`,
  );
  return false;
}

async function attemptCall(call: Call, target: Target, trace?: string): Promise<number> {
  pending++;
  try {
    return (await sendCall(target, call, { trace, waitMs: waitMsFor(call) })).status;
  } catch (error) {
    errors.push(`${service} by ${target.client}: ${(error as Error).message}`);
    return 0;
  } finally {
    pending--;
  }
}

/**
 * A machine that is busy may take its time. Only who is not going to be answered gives up soon, but
 * later than a key outlives its request: who tries again then has none any more.
 */
function waitMsFor({ items }: Call): number {
  const isDoomed = part.doomed !== null && items.every(({ truth }) => truth === part.doomed);
  return isDoomed ? 2_500 : 40_000;
}

function inBackground(wish: Wish, target: Target): void {
  pending++;
  void delay(2)
    .then(() => tryCall(wish, target))
    .finally(() => pending--);
}

interface Batch {
  readonly items: Item[];
  readonly sent: Promise<boolean>;
}

const batches = new Map<string, Batch>();
const batchMs = 3;

/** One call for all who want the same within a moment, whoever they are. */
function joinBatch({ items, trace }: Wish, target: Target): Promise<boolean> {
  const open = batches.get(target.to);
  if (open) {
    open.items.push(...items);
    return open.sent;
  }
  const { promise: sent, resolve } = Promise.withResolvers<boolean>();
  const waiting = [...items];
  batches.set(target.to, { items: waiting, sent });
  setTimeout(() => {
    batches.delete(target.to);
    // What is for several is part of no one's trace.
    resolve(tryCall({ items: waiting, trace: waiting.length > 1 ? undefined : trace }, target));
  }, batchMs);
  return sent;
}

function play(next: Part): void {
  part = next;
  served = [];
  errors = [];
  if (next.everyMs === null) return;
  timer = setInterval(() => {
    const [target] = part.calls;
    // A machine that is slow must not be given more and more to do.
    if (pending > pendingMax) return;
    if (!target) return;
    // For no request: a cache that is refreshed, a report that is sent. What an instance of a lane
    // does by itself belongs to its lane, except through a client that nobody knows.
    const isKnown = target.client !== 'stranger';
    const truth = (isKnown && process.env.SURETY_LANE) || null;
    const item = { id: `timer-${++ticks}`, truth, trail: [service] };
    inBackground({ items: [item] }, target);
  }, next.everyMs);
}

function perform(order: Order): Report {
  if (order.kind === 'play') play(order.part);
  if (order.kind === 'rest') clearInterval(timer);
  return order.kind === 'collect'
    ? { kind: 'collected', served, pending, errors }
    : { kind: 'done' };
}

process.on('message', (order: Order) => process.send?.(perform(order)));
process.on('disconnect', () => process.exit(0));
// Node would write it at its end, which kill -9 does not let come.
flushCompileCache();
process.send?.({ kind: 'ports', ports } satisfies Report);
