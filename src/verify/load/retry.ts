import { setTimeout as delay } from 'node:timers/promises';
import { type RandomBytes, systemRandom } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { Write } from '../compare/index.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import type { LoadArm } from './load-arm.ts';
import type { PlannedFault } from './planned-fault.ts';

/** A request that met a fault, and its retries. */
export interface RetriedRequest {
  /** Of the first attempt, and of each retry after a failure. */
  readonly statuses: readonly number[];
  readonly ids: readonly string[];
  readonly hops: readonly Hop[];
  /** Into stores of the lane's own; in shared stores the writer is unknown. */
  readonly writes: readonly Write[];
}

/** An immediate retry may come too soon for a service that has just failed. */
const pausesMs = [0, 300];

/** For services that never come to rest. */
const looksMax = 10;

export type WatchWrites = () => Promise<() => Promise<{ readonly writes?: readonly Write[] }>>;

interface RetryWatch {
  readonly watch: WatchWrites;
  /** How long no further call may come before the request counts as done; 0 to not wait. */
  readonly quietMs: number;
}

/** Null if a step that the request needs was not answered. */
export async function retry(
  arm: LoadArm,
  { steps, hop, kind }: Pick<PlannedFault, 'steps' | 'hop' | 'kind'>,
  { watch, quietMs }: RetryWatch,
): Promise<RetriedRequest | null> {
  const prepared = await arm.prepare(steps);
  if (!prepared) return null;
  const request = withOwnKey(prepared);
  const written = await watch();
  await arm.newHops();
  const answers = [await arm.send(withFault(`${hop}:${kind}`, request))];
  for (const ms of pausesMs) {
    if (!hasFailed(answers.at(-1)?.status)) break;
    await delay(ms);
    answers.push(await arm.send(request));
  }
  const ids = answers.map(({ id }) => id);
  const hops = await hopsOf(ids, arm, quietMs);
  const { writes = [] } = await written();
  return { statuses: answers.map(({ status }) => status), ids, hops, writes };
}

async function hopsOf(ids: readonly string[], arm: LoadArm, quietMs: number): Promise<Hop[]> {
  const look = async (): Promise<Hop[]> =>
    (await arm.wholeHops()).filter(({ requestId }) => ids.includes(requestId ?? ''));
  const hops = await look();
  for (let n = 0; quietMs > 0 && n < looksMax; n++) {
    await delay(quietMs);
    const more = await look();
    if (more.length === 0) break;
    hops.push(...more);
  }
  return hops;
}

/** The client can't know whether the request was served, so it retries. */
export function hasFailed(status = 0): boolean {
  return status === 0 || status >= 500;
}

function withFault(fault: string, request: ScenarioRequest): ScenarioRequest {
  const baggage = ['baggage', `surety-fault=${fault}`] as const;
  return { ...request, headers: [...request.headers, baggage] };
}

const keyHeader = /^(?:x-)?idempotency-key$/;

/** The same key in each attempt, but not an earlier client's, whose answer it would get. */
export function withOwnKey(
  request: ScenarioRequest,
  random: RandomBytes = systemRandom,
): ScenarioRequest {
  const own = Buffer.from(random(6)).toString('hex');
  const headers = request.headers.map(([name, value]) =>
    keyHeader.test(name)
      ? ([name, `${value.slice(0, Math.max(0, value.length - own.length))}${own}`] as const)
      : ([name, value] as const),
  );
  return { ...request, headers };
}
