import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tagEnvironment } from '../src/preload/index.ts';
import { Scene } from '../src/router/scene.fixture.ts';

const run = promisify(execFile);
const helper = new URL('../src/queue/index.ts', import.meta.url).href;

/** What a service does with the helper: messages of k1, of k2, of an ended lane, of nobody. */
const program = `
import { isMine, keyOf, onBehalfOf, ownName, withKey } from '${helper}';
const of = (key) => ({ 'Baggage': Buffer.from('user=7,surety-lane=' + key), other: '1' });
const told = {};
for (const key of ['k1', 'k2', 'ended']) told[key] = await isMine(of(key), 'orders');
told.nobody = await isMine({ other: '1' });
told.key = keyOf(of('k1'));
told.name = ownName('workers');
told.sent = onBehalfOf(of('k1'), () => withKey({ other: '1' }));
told.later = await onBehalfOf(of('k1'), async () => {
  await null;
  return keyOf(withKey());
});
told.unkeyed = withKey({ other: '1' });
process.stdout.write(JSON.stringify(told));
`;

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.router.setTable({
    ingress: '',
    services: { worker: { port: 65_000 } },
    lanes: {
      k1: { lane: 'lane_k1', overrides: { worker: { port: 1, instance: 'worker/k1/1' } } },
      k2: { lane: 'lane_k2', overrides: {} },
    },
  });
});

afterAll(() => scene[Symbol.asyncDispose]());

async function tell(tag?: { instance: string; lane?: string }): Promise<unknown> {
  const router = `127.0.0.1:${scene.port}`;
  const tagged = tag ? tagEnvironment({ service: 'worker', router, ...tag }) : {};
  const env = { PATH: process.env.PATH, ...tagged };
  const words = ['--input-type=module', '-e', program];
  const { stdout } = await run(process.execPath, words, { env });
  return JSON.parse(stdout);
}

const sent = { baggage: 'surety-lane=k1', tracestate: 'surety=k1', 'x-surety-from': 'worker' };
const keyed = { key: 'k1', sent: { other: '1', ...sent }, later: 'k1' };

test('the baseline consumes messages without a lane, or of a lane without a candidate', async () => {
  expect(await tell({ instance: 'worker/baseline/1' })).toEqual({
    ...keyed,
    ...{ k1: false, k2: true, ended: false, nobody: true },
    name: 'workers',
    unkeyed: { other: '1' },
  });
});

test('a candidate consumes only messages of its lane, under its own consumer name', async () => {
  expect(await tell({ instance: 'worker/k1/1', lane: 'k1' })).toEqual({
    ...keyed,
    ...{ k1: true, k2: false, ended: false, nobody: false },
    name: 'workers-k1',
    unkeyed: { other: '1', ...sent },
  });
});

test('without Surety, every message is consumed and no header is added', async () => {
  expect(await tell()).toEqual({
    ...{ k1: true, k2: true, ended: true, nobody: true },
    key: 'k1',
    name: 'workers',
    sent: { other: '1' },
    unkeyed: { other: '1' },
  });
});
