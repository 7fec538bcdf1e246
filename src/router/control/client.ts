import {
  type ControlCall,
  callControl,
  checkSocketPlace,
  fault,
  isFault,
  socketPlace,
} from '../../kernel/index.ts';
import { routerLimits } from '../limits.ts';
import type { Hop } from '../record/hop.ts';
import type { CapturedRequest } from '../record/recorded-traffic.ts';
import type { TakenRequest } from '../record/taken-traffic.ts';
import type { RouteTable } from '../table/table.ts';

/** The router of a directory. Every method throws ROUTER_UNREACHABLE while there is none. */
export interface Router {
  identity(): Promise<RouterIdentity>;
  /** Once this resolves, every new request is routed by the new table. */
  setTable(table: RouteTable): Promise<void>;
  table(): Promise<RouteTable>;
  /** What the requests of a key did after hop `after`, oldest first. */
  hops(key: string, after?: number): Promise<HopsRead>;
  /** Drops the hops of a key. */
  forget(key: string): Promise<void>;
  /** Keeps what the key's requests from outside consist of, from now on. */
  take(key: string): Promise<void>;
  /** What was kept since; it is kept no longer. Null if it had to make room. */
  taken(key: string): Promise<readonly TakenRequest[] | null>;
  /**
   * What came without a key by the front door since this was last asked, and keeps on for a while:
   * of so many clients in a thousand.
   */
  recorded(perMille: number): Promise<readonly CapturedRequest[]>;
}

export interface RouterIdentity {
  readonly pid: number;
  /** Where keyed requests go, on 127.0.0.1. */
  readonly port: number;
}

export interface HopsRead {
  readonly hops: readonly Hop[];
  /** Where to go on. */
  readonly last: number;
}

/** Works for a router that is running or starts later: each call connects anew. */
export function connectRouter(stateDirectory: string): Router {
  const ask = <Value>(call: ControlCall): Promise<Value> => send<Value>(stateDirectory, call);
  return {
    identity: () => ask({ method: 'GET', path: '/' }),
    setTable: async (table) => void (await ask({ method: 'PUT', path: '/table', body: table })),
    table: () => ask({ method: 'GET', path: '/table' }),
    hops: (key, after = 0) => readHops(ask, key, after),
    forget: async (key) => void (await ask({ method: 'DELETE', path: hopsPath(key) })),
    take: async (key) => void (await ask({ method: 'PUT', path: trafficPath(key) })),
    taken: async (key) => (await ask<Taken>({ method: 'GET', path: trafficPath(key) })).requests,
    recorded: async (perMille) =>
      (await ask<Recorded>({ method: 'GET', path: `/recorded?perMille=${perMille}` })).requests,
  };
}

interface Recorded {
  readonly requests: readonly CapturedRequest[];
}

interface Taken {
  readonly requests: readonly TakenRequest[] | null;
}

type Ask = <Value>(call: ControlCall) => Promise<Value>;

/** Page by page, so that the router never makes one large answer while requests wait. */
async function readHops(ask: Ask, key: string, after: number): Promise<HopsRead> {
  const hops: Hop[] = [];
  for (let last = after; ; ) {
    const path = `${hopsPath(key)}&after=${last}`;
    const page = await ask<HopsRead>({ method: 'GET', path });
    hops.push(...page.hops);
    last = page.last;
    if (page.hops.length < routerLimits.routerPageHopsMax) return { hops, last };
  }
}

function hopsPath(key: string): string {
  return `/hops?lane=${encodeURIComponent(key)}`;
}

function trafficPath(key: string): string {
  return `/traffic?lane=${encodeURIComponent(key)}`;
}

async function send<Value>(stateDirectory: string, call: ControlCall): Promise<Value> {
  try {
    const place = socketPlace(stateDirectory, 'router');
    checkSocketPlace(place);
    const answerMsMax = routerLimits.routerAnswerMsMax;
    return await callControl<Value>({ socketPath: place.path, answerMsMax }, call);
  } catch (error) {
    if (isFault(error)) throw error;
    throw fault('ROUTER_UNREACHABLE', { reason: (error as Error).message }, error);
  }
}
