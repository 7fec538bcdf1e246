import { setTimeout as delay } from 'node:timers/promises';
import type { Hop } from '../../lanes/index.ts';
import { verifyLimits } from '../limits.ts';
import type { Step } from '../measure/index.ts';
import type { Held, LoadArm, LoadSample } from './load-arm.ts';

/** What came of one block of load on one version. */
export interface Block {
  /** Clients that came at once. */
  readonly clients: number;
  readonly samples: readonly LoadSample[];
  readonly hops: readonly Hop[];
  /** What the changed services used of CPUs in it, by their order. */
  readonly cpuNs: readonly number[];
  /** After it, by the changed services. */
  readonly held: Held;
  /** Requests so far, this block's included. */
  readonly sent: number;
}

/**
 * For each scenario, so many clients at once, whether or not those before have their answers: who
 * is slow is not spared. When it takes too long, no more come, and soon none goes on.
 */
export async function runBlock(
  arm: LoadArm,
  scenarios: readonly (readonly Step[])[],
  clients: number,
): Promise<Block> {
  const started = performance.now();
  const usedBefore = arm.cpuNs();
  const isLate = (): boolean =>
    performance.now() - started > lateFactor * verifyLimits.loadBlockMsMax;
  const sessions: Promise<LoadSample[]>[] = [];
  for (const steps of scenarios) {
    if (performance.now() - started > verifyLimits.loadBlockMsMax) break;
    const count = Math.min(clients, verifyLimits.loadClientsMax);
    for (let client = 0; client < count; client++) sessions.push(arm.runSession(steps, isLate));
    await Promise.race([Promise.all(sessions), delay(betweenBurstsMs)]);
  }
  const samples = (await Promise.all(sessions)).flat();
  const cpuNs = arm.cpuNs().map((used, index) => used - (usedBefore[index] ?? 0));
  const hops = await arm.newHops();
  return { clients, samples, hops, cpuNs, held: await arm.held(), sent: arm.sent };
}

const betweenBurstsMs = 400;
/** By then those that are there have sent what they will: how slow it is has been seen. */
const lateFactor = 2;
