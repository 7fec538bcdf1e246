import { expect, it } from 'vitest';
import { matchPath, type ServiceRequest } from '../../shared/route.ts';
import type { Flag, FlagStore } from './flag-store.ts';
import { flagRoutes } from './routes.ts';

const until = '2026-01-01T00:00:00Z';
const flags: Record<string, Flag> = {
  plain: { on: true },
  over: { on: true, until },
  'größe 日本': { on: false },
};
const store = {
  all: async () => flags,
  find: async (name: string) => flags[name],
  set: async (name: string, flag: Flag) => {
    flags[name] = flag;
  },
} as unknown as FlagStore;

function send(method: 'GET' | 'POST', path: string, body = {}) {
  const routes = flagRoutes(store, () => Date.parse(until));
  const match = matchPath(routes, path).find(({ route }) => route.method === method);
  const log = { info: () => undefined };
  const request = { params: match?.params, json: async () => body, log };
  return match?.route.handle(request as unknown as ServiceRequest);
}

it.each([
  ['plain', true],
  ['over', false],
  ['gr%C3%B6%C3%9Fe%20%E6%97%A5%E6%9C%AC', false],
])('%s is %s', async (name, on) => {
  expect(await send('GET', `/flags/${name}`)).toMatchObject({ body: { on } });
});

it('knows no flag that nobody set', async () => {
  await expect(send('GET', '/flags/none')).rejects.toMatchObject({ status: 404 });
});

it('switches a flag, and refuses what is neither on nor off', async () => {
  await expect(send('POST', '/flags/new', { on: 'yes' })).rejects.toMatchObject({ status: 400 });
  await send('POST', '/flags/new', { on: true });
  expect(await send('GET', '/flags')).toMatchObject({
    body: { flags: expect.arrayContaining([{ name: 'new', on: true }]) },
  });
});
