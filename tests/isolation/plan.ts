import { seeded } from '../harness/seeded.ts';

/** A system, its lanes and its requests: everything that a run does follows from the seed. */
export interface SystemPlan {
  readonly seed: number;
  readonly services: readonly ServicePlan[];
  readonly lanes: readonly LanePlan[];
  readonly requests: readonly RequestPlan[];
  /** A lane that ends while its requests are under way. */
  readonly death: {
    readonly lane: number;
    readonly afterMs: number;
    readonly kills: boolean;
  } | null;
}

export interface ServicePlan {
  readonly name: string;
  readonly speaks: Speech;
  readonly calls: readonly CallPlan[];
  readonly order: 'one by one' | 'at once';
  /** Refuses the first attempt of every call, so that its callers try again. */
  readonly refusesFirst: boolean;
  /** Calls of its own, for nobody's request. */
  readonly everyMs: number | null;
}

export interface CallPlan {
  readonly to: string;
  readonly client: Client;
  readonly manner: Manner;
}

export interface LanePlan {
  readonly services: readonly string[];
}

export interface RequestPlan {
  readonly id: string;
  /** Its lane, by number; null for a request of the baseline. */
  readonly lane: number | null;
  readonly afterMs: number;
}

export type Speech = 'http' | 'h2c' | 'grpc' | 'nats';

/** How an application may call something that speaks so. */
export const clients = {
  http: ['http', 'fetch', 'undici', 'undici-fetch'],
  h2c: ['http2'],
  grpc: ['grpc'],
  nats: ['nats'],
} as const;

/** A client that nobody knows: it hands on the trace and nothing else. */
export type Client = (typeof clients)[Speech][number] | 'stranger';

export type Manner =
  | 'in the request'
  /** When the answer is out. */
  | 'afterwards'
  /** Together with what others want at that moment, in one call for all of them. */
  | 'batched';

/** The services of which a lane may have another version; each lane has a copy of its own. */
export const changeable = ['s1', 's2', 's3', 's4', 's5'];
export const lanesMax = 3;
export const servicesMax = 12;

export function planSystem(seed: number): SystemPlan {
  const random = seeded(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const one = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const chance = (share: number): boolean => random() < share;

  const count = 3 + below(servicesMax - 2);
  const speaks = Array.from({ length: count }, (_, index) => speech(index, random()));
  const callsOf = (index: number): CallPlan[] =>
    targets(index).map((to) => ({
      to: `s${to}`,
      client: client(speaks[to] as Speech, random(), one),
      manner: manner(random()),
    }));
  // A tree, so that every service is reached; and a few calls across it.
  const parents = Array.from({ length: count }, (_, index) =>
    index === 0 ? -1 : below(Math.min(index, 5)),
  );
  const across = Array.from({ length: below(3) }, () => [below(count - 1), 1 + below(count - 1)]);
  const targets = (index: number): number[] => [
    ...parents.flatMap((parent, child) => (parent === index ? [child] : [])),
    ...across.flatMap(([from = 0, to = 0]) => (from === index && to > from ? [to] : [])),
  ];

  const services = speaks.map(
    (speech, index): ServicePlan => ({
      name: `s${index}`,
      speaks: speech,
      calls: callsOf(index),
      order: chance(0.5) ? 'one by one' : 'at once',
      refusesFirst: index > 0 && chance(0.15),
      everyMs: chance(0.3) ? 5 + below(20) : null,
    }),
  );
  const known = changeable.slice(0, count - 1);
  const lanes = Array.from(
    { length: 1 + below(3) },
    (): LanePlan => ({
      services: [...new Set([one(known), ...(chance(0.3) ? [one(known)] : [])])],
    }),
  );
  const requests = Array.from(
    { length: 24 },
    (_, index): RequestPlan => ({
      id: `${seed}-${index}`,
      lane: chance(0.45) ? null : below(lanes.length),
      afterMs: below(30),
    }),
  );
  const death = chance(0.4)
    ? { lane: below(lanes.length), afterMs: 2 + below(25), kills: chance(0.4) }
    : null;
  return { seed, services, lanes, requests, death };
}

/** The same, with a lane that ends early while much is asked of it. */
export function planEnding(seed: number): SystemPlan {
  const plan = planSystem(seed);
  const lane = seed % plan.lanes.length;
  const requests = plan.requests.map((request, index) =>
    index % 2 === 0 ? request : { ...request, lane, afterMs: request.afterMs % 12 },
  );
  return { ...plan, requests, death: { lane, afterMs: 2 + (seed % 40), kills: seed % 5 !== 0 } };
}

/**
 * The same, where s0 calls s1, which a lane has changed, as ever and besides for many at once by a
 * client that nobody knows. In every other one no timer of a service does anything else.
 */
export function planStrangers(seed: number): SystemPlan {
  const plan = planSystem(seed);
  const known = clients.http[seed % clients.http.length] as Client;
  const services = plan.services.map((service): ServicePlan => {
    const { name, calls, everyMs } = service;
    const called = calls.map((call) => (call.to === 's1' ? { ...call, client: known } : call));
    return {
      ...service,
      speaks: name === 's1' ? 'http' : service.speaks,
      calls: name === 's0' ? [...called, unknownBatch] : called,
      everyMs: seed % 2 === 0 ? null : everyMs,
    };
  });
  const lanes = plan.lanes.map((lane, index) =>
    index === 0 ? { services: [...new Set(['s1', ...lane.services])] } : lane,
  );
  return { ...plan, services, lanes };
}

const unknownBatch: CallPlan = { to: 's1', client: 'stranger', manner: 'batched' };

/** What comes from outside is HTTP/1.1; behind that anything may be spoken. */
function speech(index: number, at: number): Speech {
  if (index === 0 || at < 0.55) return 'http';
  if (at < 0.7) return 'h2c';
  return at < 0.85 ? 'grpc' : 'nats';
}

function client(speech: Speech, at: number, one: <Item>(items: readonly Item[]) => Item): Client {
  return speech === 'http' && at < 0.08 ? 'stranger' : one(clients[speech]);
}

function manner(at: number): Manner {
  if (at < 0.65) return 'in the request';
  return at < 0.85 ? 'afterwards' : 'batched';
}
