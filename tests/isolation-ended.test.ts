import { connect, type NatsConnection } from 'nats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Scene } from '../src/router/scene.fixture.ts';
import { startNats } from './harness/local-server.ts';
import { until } from './harness/until.ts';
import { subjectOf } from './isolation/broker.ts';
import { laneKey, Member, traceSecret } from './isolation/fleet.ts';
import type { Part } from './isolation/service-main.ts';

/** s0, by HTTP, sends a message to s1, which sends one to s2 and calls s3 by HTTP/2. */
const speaks = { s0: 'http', s1: 'nats', s2: 'nats', s3: 'h2c' } as const;
const played = ['s0', 's1', 's3'] as const;
type Name = keyof typeof speaks;

let scene: Scene;
let nats: Awaited<ReturnType<typeof startNats>>;
let members: Record<(typeof played)[number], Member>;
/** In place of s2: it gets messages, and never answers. */
let listener: NatsConnection;

beforeAll(async () => {
  scene = await Scene.open();
  nats = await startNats();
  const around = { routerPort: scene.port, natsPort: nats.port };
  const made = played.map((name) => new Member(name, null, around));
  await Promise.all(made.map((member) => member.start()));
  members = Object.fromEntries(made.map((member) => [member.service, member])) as typeof members;
  listener = await connect({ port: nats.port });
});

afterAll(async () => {
  await Promise.all(Object.values(members ?? {}).map((member) => member.kill()));
  await listener?.close();
  await nats?.stop();
  await scene?.[Symbol.asyncDispose]();
});

/** s2 is found by its subject alone. */
const portOf = (name: Name): number => (name === 's2' ? 9 : members[name].port(speaks[name]));
const key = laneKey(0);

function partOf(...to: Name[]): Part {
  const clientOf = { http: 'http', nats: 'nats', h2c: 'http2' } as const;
  const calls = to.map((name) => ({
    to: name,
    port: portOf(name),
    client: clientOf[speaks[name]],
    manner: 'in the request' as const,
  }));
  return { calls, order: 'at once', refusesFirst: false, everyMs: null, doomed: key };
}

/** A lane whose candidates of s2 and s3 are dead already, or none at all. */
function route(isOpen: boolean): Promise<void> {
  const dead = (name: Name, port: number) => ({ port, instance: `${name}/${key}/1` });
  const lane = {
    lane: 'lane_0',
    overrides: { s2: dead('s2', 1), s3: dead('s3', 2) },
    trace: '00000001',
  };
  const services = (Object.keys(speaks) as Name[]).map((name) => [
    name,
    { port: portOf(name), protocol: name === 's3' ? 'h2c' : 'http' },
  ]);
  return scene.router.setTable({
    ingress: 's0',
    traceSecret,
    services: Object.fromEntries(services),
    lanes: isOpen ? { [key]: lane } : {},
  });
}

async function listenTo(name: Name): Promise<{ readonly first: Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  listener.subscribe(subjectOf(name), { callback: () => resolve() });
  await listener.flush();
  return { first: promise };
}

// proves: lanes.isolation
test('a retry after the end of its lane is served by the baseline and reported', async () => {
  await members.s0.tell({ kind: 'play', part: partOf('s1') });
  await members.s1.tell({ kind: 'play', part: partOf('s2', 's3') });
  await members.s3.tell({ kind: 'play', part: partOf() });
  const heard = await listenTo('s2');
  await route(true);
  const item = { id: 'one', truth: key, trail: ['outside'] };
  const call = { items: [item], from: 'outside', attempt: 1 };
  const asked = fetch(`http://127.0.0.1:${scene.port}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', baggage: `surety-lane=${key}` },
    body: JSON.stringify(call),
  });
  // It is now with a candidate that will never answer.
  await heard.first;
  await route(false);
  expect((await asked).status).toBe(503);
  const served = await until('the baseline has served it', async () => {
    const report = await members.s3.tell({ kind: 'collect' });
    return report.kind === 'collected' && report.served[0];
  });
  expect(served).toMatchObject({ id: 'one', truth: key, instance: 's3/baseline/1' });
  const told = await until('the lane is told', async () => {
    const { hops } = await scene.router.hops(key);
    return hops.filter(({ escaped }) => escaped).at(0);
  });
  expect(told).toMatchObject({ to: 's0', served: 's0/baseline/1', method: 'timer', path: 'late' });
});
