import { setTimeout as delay } from 'node:timers/promises';
import type { Call, Destination, Item, Served } from './call.ts';
import { sendCall } from './clients.ts';
import type { Manner } from './plan.ts';
import { listen } from './servers.ts';

/** What this service is in the present system; another one for each. */
export interface Part {
  readonly calls: readonly (Destination & { readonly to: string; readonly manner: Manner })[];
  readonly order: 'one by one' | 'at once';
  readonly refusesFirst: boolean;
  readonly everyMs: number | null;
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

let part: Part = { calls: [], order: 'at once', refusesFirst: false, everyMs: null };
let served: Served[] = [];
let errors: string[] = [];
let pending = 0;
let timer: NodeJS.Timeout | undefined;
let ticks = 0;

const ports = await listen(async (call, after) => {
  if (part.refusesFirst && call.attempt === 0) return 503;
  for (const item of call.items) served.push({ ...item, service, instance, from: call.from });
  const later = part.calls.filter(({ manner }) => manner === 'afterwards');
  after(() => {
    for (const to of later) inBackground(call.items, to);
  });
  return (await work(call.items)) ? 200 : 502;
});

/** Whether everything that the answer depends on went well. */
async function work(items: readonly Item[]): Promise<boolean> {
  const now = part.calls.filter(({ manner }) => manner !== 'afterwards');
  if (part.order === 'at once') {
    return (await Promise.all(now.map((to) => reach(items, to)))).every(Boolean);
  }
  for (const to of now) if (!(await reach(items, to))) return false;
  return true;
}

type Target = Part['calls'][number];

function reach(items: readonly Item[], target: Target): Promise<boolean> {
  return target.manner === 'batched' ? joinBatch(items, target) : tryCall(items, target);
}

async function tryCall(items: readonly Item[], target: Target): Promise<boolean> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const from = `${service} by ${target.client}${target.manner === 'batched' ? ', batched' : ''}`;
    const status = await attemptCall({ items, from, attempt }, target);
    if (status === 200) return true;
    await delay(1 + attempt);
  }
  return false;
}

async function attemptCall(call: Call, { client, port }: Target): Promise<number> {
  pending++;
  try {
    return (await sendCall(client, port, call)).status;
  } catch (error) {
    errors.push(`${service} by ${client}: ${(error as Error).message}`);
    return 0;
  } finally {
    pending--;
  }
}

function inBackground(items: readonly Item[], target: Target): void {
  pending++;
  void delay(2)
    .then(() => tryCall(items, target))
    .finally(() => pending--);
}

interface Batch {
  readonly items: Item[];
  readonly sent: Promise<boolean>;
}

const batches = new Map<string, Batch>();
const batchMs = 3;

/** One call for all who want the same within a moment, whoever they are. */
function joinBatch(items: readonly Item[], target: Target): Promise<boolean> {
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
    resolve(tryCall(waiting, target));
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
    // For nobody: a cache that is refreshed, a report that is sent.
    if (target) inBackground([{ id: `timer-${++ticks}`, truth: null }], target);
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
process.send?.({ kind: 'ports', ports } satisfies Report);
