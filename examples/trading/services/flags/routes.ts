import { invalid } from '../../shared/fields.ts';
import { notFound } from '../../shared/http-error.ts';
import type { Route } from '../../shared/route.ts';
import type { Flag, FlagStore } from './flag-store.ts';

/**
 * For the services of the platform only: the edge has no way to any of these. Who can reach this
 * port may switch a flag.
 */
export function flagRoutes(store: FlagStore, now: () => number = Date.now): Route[] {
  const view = (name: string, flag: Flag) => ({ name, on: isOn(flag, now()) });
  return [
    {
      method: 'GET',
      path: '/flags',
      handle: async () => {
        const flags = Object.entries(await store.all()).map(([name, flag]) => view(name, flag));
        return { status: 200, body: { flags } };
      },
    },
    {
      method: 'GET',
      path: '/flags/:name',
      handle: async ({ params: { name = '' } }) => {
        const flag = await store.find(name);
        if (!flag) throw notFound('flag', name);
        return { status: 200, body: view(name, flag) };
      },
    },
    {
      method: 'POST',
      path: '/flags/:name',
      handle: async ({ params: { name = '' }, json, log }) => {
        const { on } = await json();
        if (typeof on !== 'boolean') throw invalid('on', 'true or false');
        await store.set(name, { on });
        log.info('flag switched', { name, on });
        return { status: 200, body: { name, on } };
      },
    },
  ];
}

function isOn({ on, until }: Flag, now: number): boolean {
  return on && (until === undefined || now < Date.parse(until));
}
