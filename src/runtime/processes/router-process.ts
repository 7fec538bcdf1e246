import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Keeper } from '../../keeper/index.ts';
import { fault, systemRandom } from '../../kernel/index.ts';
import { DoorPorts, type Routes, type Tagging } from '../../lanes/index.ts';
import {
  type CapturedRequest,
  connectRouter,
  type Router,
  routerMain,
} from '../../router/index.ts';
import type { Config } from '../../system/index.ts';
import { createTagging } from '../compose/tagging.ts';
import type { WorkspacePlace } from '../place.ts';
import { openSecret } from '../state-files.ts';
import { startChild } from './start-child.ts';

const startMsMax = 10_000;
const lookEveryMs = 20;
const program = { name: 'router', main: routerMain, restartAfterMs: 20 };

export interface RouterProcess {
  readonly routes: Routes;
  /** The requests without a key at the front door since the last call; recording continues. */
  recorded(perMille: number): Promise<readonly CapturedRequest[]>;
  /** The settings that make an instance propagate keys, once a router runs. */
  tagging(): Promise<Tagging>;
}

export interface RoutesDeps {
  readonly place: WorkspacePlace;
  readonly config: Config;
  keeper(): Promise<Keeper>;
  /** The router has been restarted, and may know no lanes. */
  onStart(): Promise<void>;
  /** The port that services report to, if any. */
  telemetryPort(): Promise<number | undefined>;
}

/** The router as a child of the keeper, started at its first use and restarted after its death. */
export function createRoutes(deps: RoutesDeps): RouterProcess {
  const { place, config, keeper, onStart } = deps;
  const doors = new DoorPorts(join(place.state, 'doors.json'), config);
  // Verifies that tags in trace ids are ours; services and router share it.
  const traceSecret = openHexSecret(join(place.state, 'trace-secret'));
  const senderSecret = openHexSecret(place.senderSecretFile);
  let starting: Promise<{ router: Router; isNew: boolean }> | undefined;
  const find = async (): Promise<Router> => {
    starting ??= ensureRouter(place, config, keeper).finally(() => {
      starting = undefined;
    });
    const { router, isNew } = await starting;
    // A new router refuses all keys until it gets the lanes, which must not wait for us.
    if (isNew) void onStart().catch(() => undefined);
    return router;
  };
  const port = async (): Promise<number> => {
    await find();
    return readRouterFile(place)?.port ?? 0;
  };
  return {
    routes: {
      publish: async (table) => {
        const all = [...(await doors.open()), ...(table.doors ?? [])];
        const known = { doors: all, traceSecret };
        await (await find()).setTable({ ...table, ...known });
      },
      hops: async (lane, after) => (await (await find()).hops(lane, after)).hops,
      take: async (lane) => (await find()).take(lane),
      taken: async (lane) => (await find()).taken(lane),
      forget: async (lane) => (await find()).forget(lane),
      address: async () => `http://127.0.0.1:${await port()}`,
    },
    recorded: async (perMille) => (await find()).recorded(perMille),
    tagging: async () => {
      const [routerPort, telemetryPort] = await Promise.all([port(), deps.telemetryPort()]);
      const known = { config, router: `127.0.0.1:${routerPort}`, traceSecret, senderSecret };
      const telemetry = telemetryPort === undefined ? {} : { telemetryPort };
      return createTagging({ ...known, doors: await doors.open(), ...telemetry });
    },
  };
}

function openHexSecret(file: string): string {
  return openSecret(file, () => Buffer.from(systemRandom(32)).toString('hex'));
}

async function ensureRouter(
  place: WorkspacePlace,
  { services }: Config,
  keeper: () => Promise<Keeper>,
): Promise<{ router: Router; isNew: boolean }> {
  const router = connectRouter(place.state);
  const known = await servicesKnown(router);
  if (known !== null) return { router, isNew: known === 0 && Object.keys(services).length > 0 };
  const kept = await keeper();
  const child = (await kept.list()).find(({ name }) => name === 'router');
  // Waits for a router that the keeper is about to restart.
  const isComing = child?.state === 'running' || (child?.restartAt ?? null) !== null;
  if (!isComing) await startChild(kept, place, program);
  const deadline = performance.now() + startMsMax;
  while (performance.now() < deadline) {
    if ((await servicesKnown(router)) !== null) return { router, isNew: true };
    await delay(lookEveryMs);
  }
  const reason = `it did not answer within ${startMsMax / 1_000} s`;
  throw fault('PROCESS_START_FAILED', { name: 'router', reason });
}

/** The number of services that the router knows; 0 before it got a table, null while it is away. */
async function servicesKnown(router: Router): Promise<number | null> {
  try {
    const { services } = await router.table();
    return Object.keys(services).length;
  } catch {
    return null;
  }
}

function readRouterFile(place: WorkspacePlace): { port: number } | undefined {
  const file = join(place.state, 'router.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
