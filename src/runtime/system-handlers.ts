import type { SystemHandlers } from '../http/api.ts';
import { type Lane, proveReach } from '../lanes/index.ts';
import { hopLine } from '../verify/index.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { checkOwnLane, isOwnLane } from './own-lane.ts';

export function systemHandlers({ baseline, lanes, routes }: HandlerDeps): SystemHandlers {
  return {
    'GET /v1/system': async () => ({ services: await baseline.status() }),
    'POST /v1/system/up': async (_, { actor }) => ({ services: await baseline.up(actor) }),
    'POST /v1/system/down': async (_, { actor }) => ({ services: await baseline.down(actor) }),
    'POST /v1/system/restart': async ({ body }, { actor }) => ({
      services: await baseline.restart(actor, body.service),
    }),
    'GET /v1/lanes': async (_, { actor }) => {
      const shown = (await lanes.list()).filter((lane) => isOwnLane(lane, actor));
      return { lanes: shown.map(showLane) };
    },
    'POST /v1/lanes': async ({ body }, { actor }) => {
      const { patch, ttlMs } = body;
      const base = body.base ?? (await baseline.version());
      const lane = await lanes.open(actor, { patch, base, ttlMs });
      return { lane: showLane(lane), address: await routes.address() };
    },
    'POST /v1/lanes/{lane}/close': async ({ path: { lane } }, { actor }) => {
      checkOwnLane(await lanes.find(lane), actor);
      await lanes.close(actor, lane);
      return { lane };
    },
    'GET /v1/lanes/{lane}/reach': async ({ path }, { actor }) => {
      const lane = checkOwnLane(await lanes.find(path.lane), actor);
      const hops = await routes.hops(path.lane);
      const { candidates, silent, ...reach } = proveReach(lane, hops);
      return {
        lane: showLane(lane),
        reach: { ...reach, candidates: [...candidates], silent: [...silent] },
        paths: hops.map(hopLine),
        address: await routes.address(),
      };
    },
  };
}

function showLane(lane: Lane) {
  return { ...lane, candidates: [...lane.candidates] };
}
