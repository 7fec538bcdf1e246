import { setTimeout as delay } from 'node:timers/promises';
import type { Hop } from '../../lanes/index.ts';
import { verifyLimits } from '../limits.ts';
import type { ScenarioStep } from '../measure/index.ts';
import type { LoadArm, LoadSample, ProcessStates } from './load-arm.ts';

/** What one version did in one block of load. */
export interface Block {
  /** Concurrent clients. */
  readonly clients: number;
  readonly samples: readonly LoadSample[];
  readonly hops: readonly Hop[];
  /** CPU time of the changed services in this block, in their order. */
  readonly cpuNs: readonly number[];
  /** The processes of the changed services after the block. */
  readonly processes: ProcessStates;
  /** Requests so far, including this block. */
  readonly sent: number;
}

/**
 * Starts the same number of clients for each scenario, whether or not earlier clients have their
 * answers: a slow version gets the same load. After some time no more clients start, and later no
 * client continues.
 */
export async function runBlock(
  arm: LoadArm,
  scenarios: readonly (readonly ScenarioStep[])[],
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
  return { clients, samples, hops, cpuNs, processes: await arm.processes(), sent: arm.sent };
}

const betweenBurstsMs = 400;
/** By then the clients have sent enough to show how slow the version is. */
const lateFactor = 2;
