import { setTimeout as delay } from 'node:timers/promises';
import { type RandomBytes, systemRandom } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { Write } from '../compare/index.ts';
import type { ScenarioRequest } from '../traffic/index.ts';
import type { LoadArm } from './load-arm.ts';
import type { SweptFault } from './swept-fault.ts';

/** A request that met a fault, and the same again, as its client sends it. */
export interface Retried {
  /** Of the first, and as long as that failed of those after it. */
  readonly statuses: readonly number[];
  readonly ids: readonly string[];
  readonly hops: readonly Hop[];
  /** Into stores of the lane's own; others nobody can tell apart. */
  readonly writes: readonly Write[];
}

/** Who tries again at once may come too soon for a service that has just failed. */
const pausesMs = [0, 300];

/** For who never comes to rest. */
const looksMax = 10;

export type Watch = () => Promise<() => Promise<{ readonly writes?: readonly Write[] }>>;

interface Look {
  readonly watch: Watch;
  /** For how long nothing more has to be done for these requests; 0 to wait for nothing. */
  readonly quietMs: number;
}

/** Null where what it needs was not answered. */
export async function retry(
  arm: LoadArm,
  { steps, hop, kind }: Pick<SweptFault, 'steps' | 'hop' | 'kind'>,
  { watch, quietMs }: Look,
): Promise<Retried | null> {
  const prepared = await arm.prepare(steps);
  if (!prepared) return null;
  const request = withOwnKey(prepared);
  const written = await watch();
  await arm.newHops();
  const answers = [await arm.send(askingFor(`${hop}:${kind}`, request))];
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

/** Nobody can know whether it was done: so it is sent again. */
export function hasFailed(status = 0): boolean {
  return status === 0 || status >= 500;
}

function askingFor(fault: string, request: ScenarioRequest): ScenarioRequest {
  const asked = ['baggage', `surety-fault=${fault}`] as const;
  return { ...request, headers: [...request.headers, asked] };
}

const keyHeader = /^(?:x-)?idempotency-key$/;

/** The same in each attempt, and another than the last client's, whose answer it would get. */
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
