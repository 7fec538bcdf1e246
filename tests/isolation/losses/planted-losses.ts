import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Hop, hopsOfRequest, lossLine, proveReach } from '../../../src/lanes/index.ts';
import { Service } from '../../../src/preload/service.fixture.ts';
import { Scene } from '../../../src/router/scene.fixture.ts';
import { seeded } from '../../harness/seeded.ts';

const program = fileURLToPath(new URL('./service.cjs', import.meta.url));
const traceSecret = 'ab'.repeat(32);
const candidate = 'last/lane/1';
const key = 'lane-planted';

const keeping = ['fetch', 'get', 'awaited'] as const;
const losing = ['socket', 'timer', 'interval', 'detached', 'late'] as const;

/** What became of the keyed requests. */
export interface LossCounts {
  readonly requests: number;
  /** Requests that lost their key on the way, as the services themselves saw it. */
  readonly lost: number;
  /** Those of them for which reach names the service that lost it. */
  readonly named: number;
  /** Requests that kept their key, and for which reach reports a loss as certain. */
  readonly falselyNamed: number;
  /** Requests that kept their key, and for which reach says that a call may have been theirs. */
  readonly doubted: number;
  /** Requests without a key at the candidate. */
  readonly unkeyedAtCandidate: number;
  readonly unkeyedSent: number;
  readonly problems: readonly string[];
}

export interface LossPlan {
  readonly requests: number;
  readonly unkeyedPerSecond: number;
  readonly seed: number;
}

/**
 * Three services in a row, of which a lane changes the last one. Of half the keyed requests, the
 * first or the second service loses the key, in one of several ways; requests without a key come
 * all the time.
 */
export async function runPlantedLosses(plan: LossPlan): Promise<LossCounts> {
  await using scene = await Scene.open();
  const start = (service: string, version: string, next?: Service): Promise<Service> =>
    Service.start({
      file: program,
      tag: {
        router: `127.0.0.1:${scene.port}`,
        traceSecret,
        service,
        instance: `${service}/${version}/1`,
      },
      environment: next ? { NEXT_PORT: String(next.port) } : {},
    });
  await using last = await start('last', 'baseline');
  await using changed = await start('last', 'lane');
  await using middle = await start('middle', 'baseline', last);
  await using first = await start('first', 'baseline', middle);
  const services = {
    first: { port: first.port },
    middle: { port: middle.port },
    last: { port: last.port },
  };
  const overrides = { last: { port: changed.port, instance: candidate } };
  const lanes = { [key]: { lane: 'lane_planted', trace: '00000001', overrides } };
  await scene.router.setTable({ ingress: 'first', traceSecret, services, lanes });
  const sent = await sendAll(plan, { scene, first });
  const visits = { middle: await takeVisits(middle), changed: await takeVisits(changed) };
  return count(sent, visits);
}

interface Sent {
  readonly ids: readonly { readonly id: string; readonly path: string }[];
  readonly unkeyed: number;
  readonly hops: readonly Hop[];
}

interface LossSystem {
  readonly scene: Scene;
  readonly first: Service;
}

/** Longer than the latest call, and until its report has come. */
const settleMs = 2_500;
const hopsReadEvery = 20;

async function sendAll(plan: LossPlan, { scene, first }: LossSystem): Promise<Sent> {
  const { requests, unkeyedPerSecond, seed } = plan;
  const random = seeded(seed);
  const draw: Draw = (below) => Math.floor(random() * below);
  let unkeyed = 0;
  const load = setInterval(() => {
    const path = `/${keeping[draw(keeping.length)]}/${keeping[draw(keeping.length)]}/`;
    const headers = { 'x-id': `plain-${unkeyed++}` };
    void fetch(`http://127.0.0.1:${first.port}${path}`, { headers }).catch(() => undefined);
  }, 1_000 / unkeyedPerSecond);
  const ids: { id: string; path: string }[] = [];
  const hops: Hop[] = [];
  // The router keeps only the newest.
  const readHops = async (): Promise<void> => {
    hops.push(...(await scene.router.hops(key, hops.at(-1)?.n)).hops);
  };
  for (let number = 0; number < requests; number++) {
    const id = `keyed-request-${number}`;
    const path = drawPath(draw);
    ids.push({ id, path });
    const headers = { 'x-id': id, 'x-request-id': id, baggage: `surety-lane=${key}` };
    const answer = await fetch(`http://127.0.0.1:${scene.port}${path}`, { headers });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    if (number % hopsReadEvery === 0) await readHops();
  }
  await delay(settleMs);
  clearInterval(load);
  await readHops();
  return { ids, unkeyed, hops };
}

/** A whole number below this one. */
type Draw = (below: number) => number;

function drawPath(draw: Draw): string {
  const kept = (): string => keeping[draw(keeping.length)] as string;
  const lost = losing[draw(losing.length)] as string;
  const [first, middle] = [
    [lost, kept()],
    [kept(), lost],
    [kept(), kept()],
    [kept(), kept()],
  ][draw(4)] as [string, string];
  return `/${first}/${middle}/`;
}

interface Visit {
  readonly id: string;
  readonly isKeyed: boolean;
}

async function takeVisits(service: Service): Promise<readonly Visit[]> {
  return (await (await service.ask('/visits')).json()) as Visit[];
}

const dependencies = {
  first: { dependsOn: ['middle'] },
  middle: { dependsOn: ['last'] },
  last: { dependsOn: [] },
};

function count(
  { ids, unkeyed, hops }: Sent,
  visits: { readonly middle: readonly Visit[]; readonly changed: readonly Visit[] },
): LossCounts {
  const keyedAtMiddle = new Set(visits.middle.filter((one) => one.isKeyed).map(({ id }) => id));
  const atCandidate = new Set(visits.changed.map(({ id }) => id));
  const problems: string[] = [];
  const counts = { lost: 0, named: 0, falselyNamed: 0, doubted: 0 };
  for (const { id, path } of ids) {
    const candidates = [{ service: 'last', instance: candidate }];
    const reach = proveReach({ candidates }, hopsOfRequest(hops, id), { services: dependencies });
    const losses = reach.lost.filter(({ how }) => how !== 'silent');
    const found = losses.map(lossLine).join('; ') || 'nothing';
    if (atCandidate.has(id)) {
      const isFalse = losses.some(({ how }) => how !== 'shared');
      if (isFalse) problems.push(`${path} kept its key, and reach says: ${found}`);
      counts.falselyNamed += isFalse ? 1 : 0;
      counts.doubted += losses.length > 0 && !isFalse ? 1 : 0;
      continue;
    }
    const loser = keyedAtMiddle.has(id) ? 'middle' : 'first';
    const isNamed = losses.some(({ by }) => by === loser);
    if (!isNamed) problems.push(`${path} lost its key in ${loser}, and reach says: ${found}`);
    counts.lost++;
    counts.named += isNamed ? 1 : 0;
  }
  const unkeyedAtCandidate = visits.changed.filter(({ id }) => id.startsWith('plain')).length;
  return { requests: ids.length, ...counts, unkeyedAtCandidate, unkeyedSent: unkeyed, problems };
}
