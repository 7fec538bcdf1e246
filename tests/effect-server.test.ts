import { expect, test } from 'vitest';
import { readStat } from '../src/keeper/strays/processes.ts';
import { EffectServer } from './harness/gate/effect-server.ts';
import { until } from './harness/until.ts';

const post = (url: string, signal?: AbortSignal) =>
  fetch(url, { method: 'POST', signal: signal ?? null });

test('the effect server counts every POST as one effect', async () => {
  await using server = await EffectServer.start();
  for (const key of ['a/b', 'c', 'a/b']) await post(server.effectUrl(key));
  expect(await server.counts()).toEqual({ 'a/b': 2, c: 1 });
  expect(await server.count('a/b')).toBe(2);
  expect(await server.count('nobody')).toBe(0);
});

test('the effect server counts an effect whose caller left before the answer', async () => {
  await using server = await EffectServer.start();
  const given = new AbortController();
  const answer = post(server.effectUrl('a', 60_000), given.signal);
  await until('it happened', () => server.count('a'));
  given.abort();
  await expect(answer).rejects.toThrow('aborted');
  expect(await server.counts()).toEqual({ a: 1 });
});

test('the effect server keeps its effects and its address after a crash', async () => {
  await using server = await EffectServer.start();
  const { url, pid } = server;
  await post(server.effectUrl('a'));
  await server.crash();
  expect(server.pid).not.toBe(pid);
  expect(server.url).toBe(url);
  expect(await server.counts()).toEqual({ a: 1 });
});

test('the effect server leaves no process behind', async () => {
  const server = await EffectServer.start();
  const { pid, url } = server;
  await server.stop();
  await server.stop();
  expect(readStat(pid)).toBeUndefined();
  await expect(fetch(`${url}/effects`)).rejects.toThrow('fetch failed');
});
