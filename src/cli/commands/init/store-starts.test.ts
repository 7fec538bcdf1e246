import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Discovery } from '../../../system/index.ts';
import { type Machine, withStoreStarts } from './store-starts.ts';

const store = {
  name: 'db',
  kind: 'postgres',
  hosts: ['db'],
  port: 5_432,
  url: 'postgres://u:p@127.0.0.1:5432/shop',
  image: 'postgres:16',
  environment: { POSTGRES_PASSWORD: 'p' },
  where: 'compose.yaml',
} as const;

const published = { ...store, publishedPort: 5_433, url: 'postgres://u:p@127.0.0.1:5433/shop' };

/** A machine on which these ports answer, with these ways to run a database. */
function machine(ports: readonly number[], { has = false, tool = '' }): Machine {
  return {
    answers: async (port) => ports.includes(port),
    has: () => has,
    containers: () => tool || undefined,
  };
}

async function started(one: Discovery['stores'][number], on: Machine) {
  const discovery: Discovery = { services: [], stores: [one], unknown: [], looked: [] };
  const { stores, unknown } = await withStoreStarts(discovery, on);
  return { start: stores[0]?.start, url: stores[0]?.url, unknown };
}

test('a database that answers where it is published is left alone', async () => {
  const found = await started(published, machine([5_433], { has: true }));
  expect(found).toEqual({ start: undefined, url: published.url, unknown: [] });
});

test('an installed server is started, beside another one on the usual port', async () => {
  const found = await started(store, machine([5_432], { has: true }));
  expect(found).toMatchObject({ start: 'local', url: 'postgres://u:p@127.0.0.1:15432/shop' });
});

test('without an installed server, a container is', async () => {
  const { start } = await started(published, machine([], { tool: 'podman' }));
  expect(start).toBe(
    'podman run --rm -p 127.0.0.1:5433:5432 -e POSTGRES_PASSWORD=p -- postgres:16',
  );
});

test.each([
  ['a variable', { environment: { POSTGRES_PASSWORD: "p' $(touch hacked) '" } }],
  ['the name of a variable', { environment: { "A'; touch hacked; '": 'p' } }],
  ['an image', { image: 'postgres:16; touch hacked' }],
  ['an image that looks like an option', { image: '--privileged' }],
])('%s of a container stays one word of the command', async (_, hostile) => {
  const { start = '' } = await started({ ...published, ...hostile }, machine([], { tool: 'echo' }));
  const folder = mkdtempSync(join(tmpdir(), 'surety-store-'));
  execFileSync('sh', ['-c', start], { cwd: folder });
  const made = readdirSync(folder);
  rmSync(folder, { recursive: true });
  expect(made).toEqual([]);
  expect(start).toMatch(/ -- \S/);
});

test('without either, the command that starts it is named', async () => {
  const { start, unknown } = await started(published, machine([], {}));
  expect(start).toBeUndefined();
  expect(unknown).toEqual([
    'db: nothing answers at 127.0.0.1:5433; start it there before surety system up (docker compose up -d db)',
  ]);
});
