import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  attributeOwnCalls,
  type CallTree,
  type Hop,
  type Lane,
  type Routes,
  requestPaths,
} from '../../lanes/index.ts';
import type { VariedHop } from '../compare/index.ts';
import { type ScenarioRequest, ScenarioSender, sendScenario } from '../traffic/index.ts';
import type { Variant } from './variant.ts';

export interface VariantHop extends VariedHop {
  readonly variant: string;
  readonly sentAs: Variant;
}

export function isVariantHop(hop: Hop): hop is VariantHop {
  return 'sentAs' in hop;
}

/** So many requests are sent before their hops are read: the router keeps only the latest. */
const readEvery = 20;

/** Sends variants to one lane, one after the other. Aborted, it leaves out the rest. */
export async function sendVariants(
  variants: readonly Variant[],
  { lane }: Pick<Lane, 'lane'>,
  { routes, signal }: { readonly routes: Routes; readonly signal: AbortSignal },
): Promise<VariantHop[]> {
  const sender = new ScenarioSender(await routes.address(), lane);
  const named = new Map<string, Variant>();
  const reader = new LaneHops(lane, routes);
  await reader.skip();
  try {
    for (const [number, variant] of variants.entries()) {
      if (signal.aborted) break;
      const first = variant.requests.length - variant.varied;
      const requests = variant.hasOwnIds ? withNewIds(variant.requests) : variant.requests;
      await sendScenario({ name: variant.hop, requests }, sender, (index) => {
        const id = randomUUID();
        if (index >= first) named.set(id, variant);
        return id;
      });
      if ((number + 1) % readEvery === 0) await reader.read();
    }
    await reader.readToEnd([...named.keys()].at(-1));
  } finally {
    sender.close();
  }
  return hopsOfVariants(reader.hops, named);
}

const looksMax = 20;
const lookEveryMs = 20;

/** The hops of a lane from now on. */
class LaneHops {
  readonly hops: Hop[] = [];
  readonly #lane: string;
  readonly #routes: Pick<Routes, 'hops'>;
  #last = 0;

  constructor(lane: string, routes: Pick<Routes, 'hops'>) {
    this.#lane = lane;
    this.#routes = routes;
  }

  async skip(): Promise<void> {
    await this.read();
    this.hops.length = 0;
  }

  /** How many are new. */
  async read(): Promise<number> {
    const fresh = await this.#routes.hops(this.#lane, this.#last);
    this.#last = fresh.at(-1)?.n ?? this.#last;
    this.hops.push(...fresh);
    return fresh.length;
  }

  /** Until the last request is there, and no late call comes any more. */
  async readToEnd(last: string | undefined): Promise<void> {
    for (let look = 0; look < looksMax; look++) {
      const fresh = await this.read();
      const isThere = last === undefined || this.hops.some(({ requestId }) => requestId === last);
      if (isThere && fresh === 0 && look > 0) return;
      await delay(lookEveryMs);
    }
  }
}

/** Each with what its request varies; without those that only prepare for a variant. */
function hopsOfVariants(hops: readonly Hop[], named: ReadonlyMap<string, Variant>): VariantHop[] {
  const flat = ({ hop, calls }: CallTree): Hop[] => [hop, ...calls.flatMap(flat)];
  return requestPaths(attributeOwnCalls(hops)).flatMap(({ calls }) => {
    const own = calls.flatMap(flat);
    const ids = own.flatMap(({ requestId }) => requestId ?? []);
    const variant = ids.map((id) => named.get(id)).find((one) => one !== undefined);
    if (variant === undefined) return [];
    const roots = new Set(calls.map(({ hop }) => hop));
    return own.map((hop) => ({
      ...hop,
      sentAs: variant,
      // The same call may also be made for other requests with the same value in them.
      variant: roots.has(hop) ? variant.what : `${variant.what} in ${routeOfHop(variant)}`,
    }));
  });
}

/** `outside → edge POST /trades` without who calls whom. */
function routeOfHop({ hop }: Variant): string {
  return hop.split(' ').slice(3).join(' ');
}

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

/** Both versions would otherwise write to the same record. */
function withNewIds(requests: readonly ScenarioRequest[]): ScenarioRequest[] {
  const made = new Map<string, string>();
  const newId = (id: string): string => {
    const own = made.get(id) ?? randomUUID();
    made.set(id, own);
    return own;
  };
  return requests.map((request) =>
    request.body === null
      ? request
      : { ...request, body: Buffer.from(request.body.toString('utf8').replace(uuid, newId)) },
  );
}
