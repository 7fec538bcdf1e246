import { isJsonObject } from '../../kernel/index.ts';
import { checkTarget } from '../target/target.ts';
import { type Attachment, attach } from './attach.ts';

/** How a Node process is. */
export interface ProcessReading {
  /** What it holds that is no garbage, in its heap and outside of it. */
  readonly heldBytes: number;
  /** The longest that its event loop was held up since the reading before. */
  readonly loopDelayMs: number;
  /** How often, and how long in all, somebody waited for a connection of a pool, so far. */
  readonly poolWaits: number;
  readonly poolWaitMs: number;
}

/** Tells how the Node processes of one instance are. */
export interface ProcessGauge {
  /** Of all of them together; null when one does not answer any more. */
  read(): Promise<ProcessReading | null>;
  /** Leaves the processes as they were found. */
  close(): Promise<void>;
}

/**
 * Of all Node processes among these; null if there is none that can be asked. Each reading has them
 * collect all garbage, which takes them some 10 ms: for copies that nobody else works with.
 */
export async function openProcessGauge(pids: readonly number[]): Promise<ProcessGauge | null> {
  const tried = await Promise.allSettled(pids.map(async (pid) => attach(await checkTarget(pid))));
  const attached = tried.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (attached.length === 0) return null;
  return {
    async read() {
      const readings = await Promise.all(attached.map(readProcess));
      const known = readings.filter((one) => one !== null);
      return known.length === readings.length ? known.reduce(together) : null;
    },
    async close() {
      await Promise.all(attached.map(letGo));
    },
  };
}

/**
 * Garbage is collected twice: what only finalizers or a first collection let go of is gone after
 * the second. That holds up the loop itself, so the delays of a moment after it are forgotten. Who
 * waits for a connection is counted by the preload, where it is there.
 */
const expression = `(() => {
  const of = (name) => process.getBuiltinModule('node:' + name);
  const key = Symbol.for('surety.loop');
  const delays = (process[key] ??= of('perf_hooks').monitorEventLoopDelay({ resolution: 10 }));
  delays.enable();
  const loopDelayMs = Math.max(0, delays.max / 1e6 - 10);
  of('v8').setFlagsFromString('--expose-gc');
  const collect = of('vm').runInNewContext('gc');
  collect();
  collect();
  of('timers').setTimeout(() => delays.reset(), 50).unref();
  const { heapUsed, external } = process.memoryUsage();
  const { count = 0, value = 0 } = process[Symbol.for('surety.waits')] ?? {};
  return { heldBytes: heapUsed + external, loopDelayMs, poolWaits: count, poolWaitMs: value * 1e3 };
})()`;

const unwatch = `(() => {
  const key = Symbol.for('surety.loop');
  process[key]?.disable();
  delete process[key];
})()`;

/** Of a process that is gone, so is its watch. */
async function letGo({ agent }: Attachment): Promise<void> {
  await agent.call('evaluate', { expression: unwatch }).catch(() => {});
  await agent.call('close').catch(() => {});
  agent.cut();
}

async function readProcess({ agent }: Attachment): Promise<ProcessReading | null> {
  try {
    const answer = await agent.call('evaluate', { expression });
    const value = isJsonObject(answer) ? answer.value : null;
    return isJsonObject(value) ? (value as unknown as ProcessReading) : null;
  } catch {
    return null;
  }
}

function together(one: ProcessReading, other: ProcessReading): ProcessReading {
  return {
    heldBytes: one.heldBytes + other.heldBytes,
    loopDelayMs: Math.max(one.loopDelayMs, other.loopDelayMs),
    poolWaits: one.poolWaits + other.poolWaits,
    poolWaitMs: one.poolWaitMs + other.poolWaitMs,
  };
}
