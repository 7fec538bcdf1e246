import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../tests/harness/until.ts';
import { Scene } from './scene.fixture.ts';

/** A router that may have 160 descriptors. */
let scene: Scene;
let pid: number;
beforeAll(async () => {
  scene = new Scene();
  const child = await scene.startRouter({}, 160);
  pid = child.pid ?? 0;
  await scene.routeTo(await scene.serve((_, response) => response.end('served')));
});
afterAll(() => scene[Symbol.asyncDispose]());

const descriptors = (): number => readdirSync(`/proc/${pid}/fd`).length;
const request = 'GET / HTTP/1.1\r\nhost: a\r\nbaggage: surety-lane=k1\r\n';
const ask = (): Promise<string> => scene.sendRaw(`${request}connection: close\r\n\r\n`);

/** Less than the minute for which a silent connection may stay. */
const soonMs = 45_000;

// proves: router.descriptors
test('a connection that its client closed is closed at once, also if it never sent anything', async () => {
  expect(await ask()).toContain('served');
  const before = descriptors();
  const clients = await Promise.all(Array.from({ length: 30 }, () => scene.dial()));
  // Connections of the request before may still be closing.
  await until('most are accepted', () => descriptors() > before + clients.length / 2);
  for (const client of clients) client.end();
  const closed = until('they are closed', () => descriptors() <= before).then(() => 'closed');
  expect(await Promise.race([closed, delay(soonMs, 'still open', { ref: false })])).toBe('closed');
});

// proves: router.descriptors
test('the router serves requests while others hold more connections than it has descriptors', async () => {
  const held: Socket[] = [];
  for (let n = 0; n < 300; n++) held.push(await scene.dial());
  expect(await ask()).toContain('served');
  for (const client of held.slice(-20)) client.write(`${request}\r\n`);
  expect(await ask()).toContain('served');
  expect(descriptors()).toBeLessThan(160);
  for (const client of held) client.destroy();
});
