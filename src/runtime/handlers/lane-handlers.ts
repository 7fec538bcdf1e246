import type { HandlersOf } from '../../http/api.ts';
import { type Actor, fault } from '../../kernel/index.ts';
import {
  attributeOwnCalls,
  drawPaths,
  hopsOfRequest,
  type Lane,
  lossLine,
  overrideChange,
  proveReach,
  witnessed,
} from '../../lanes/index.ts';
import { checkLanes, hopLine } from '../../verify/index.ts';
import type { HandlerDeps } from './handler-deps.ts';
import { checkOwnLane, isOwnLane } from './own-lane.ts';
import { resolveChange } from './resolve-change.ts';

export function laneHandlers(deps: HandlerDeps): HandlersOf<'lane'> {
  const { lanes, routes, changes } = deps;
  return {
    'GET /v1/lanes': async (_, { actor }) => ({
      lanes: (await lanes.list()).filter((lane) => isOwnLane(lane, actor)).map(showLane),
      opening: lanes.opening.filter((lane) => isOwnLane(lane, actor)),
    }),
    'POST /v1/lanes': async ({ body }, { actor }) => {
      const { control: withControl, patch: _, ref: __, worktree: ___, ...rest } = body;
      if (body.on !== undefined) await findOwn(actor, body.on, deps);
      const { patch, base } = await resolveChange(body, deps);
      const lane = await lanes.open(actor, { ...rest, patch, base });
      const control = withControl ? await openControl(actor, lane, deps) : null;
      return { lane: showLane(lane), control, address: await routes.address() };
    },
    'POST /v1/lanes/check': async ({ body }, { actor }) => await checkLanes(actor, body, changes),
    'GET /v1/lanes/{lane}': async ({ path }, { actor }) => {
      const lane = await findOwn(actor, path.lane, deps);
      const running = await changes.host.running();
      return {
        lane: showLane(lane),
        processes: lane.candidates.map(({ service, name }) => ({
          service,
          pid: running.get(name)?.pid ?? null,
        })),
        address: await routes.address(),
        headers: { baggage: `surety-lane=${lane.lane}` },
      };
    },
    'POST /v1/lanes/{lane}/extend': async ({ path, body }, { actor }) => ({
      lane: showLane(
        await lanes.extend(actor, (await findOwn(actor, path.lane, deps)).lane, body.ttlMs),
      ),
    }),
    'POST /v1/lanes/{lane}/close': async ({ path: { lane } }, { actor }) => {
      await findOwn(actor, lane, deps);
      await lanes.close(actor, lane);
      return { lane };
    },
    'GET /v1/lanes/{lane}/reach': async ({ path, query }, { actor }) => {
      const lane = await findOwn(actor, path.lane, deps);
      return { ...(await showReach(lane, query.request, deps)), address: await routes.address() };
    },
    'POST /v1/overrides': async ({ body }, { actor }) => {
      const { patch, base } = await resolveChange(body, deps);
      if (patch === undefined) throw fault('CHANGE_INVALID', { reason: 'there is none' });
      const { reason, suites = false } = body;
      return overrideChange(actor, { patch, base, reason, suites }, changes);
    },
  };
}

async function findOwn(actor: Actor, id: string, { lanes }: HandlerDeps): Promise<Lane> {
  return checkOwnLane(await lanes.find(id), actor);
}

/** Who served the requests of a lane, hop by hop; of one request if it is given. */
async function showReach(lane: Lane, request: string | undefined, deps: HandlerDeps) {
  const { config } = deps.changes;
  const all = attributeOwnCalls(await deps.routes.hops(lane.lane));
  const hops = request === undefined ? all : hopsOfRequest(all, request);
  const reach = proveReach(lane, hops, config);
  return {
    lane: showLane(lane),
    reach,
    losses: reach.lost.map(lossLine),
    paths: hops.map(hopLine),
    trees: drawPaths(witnessed(hops, lane, config)),
  };
}

/** The same services before the change, for as long as the lane lives. */
async function openControl(
  actor: Actor,
  { lane, base, candidates, expiresAt }: Lane,
  { lanes, clock }: HandlerDeps,
): Promise<ReturnType<typeof showLane>> {
  const isCaller = ({ version }: Lane['candidates'][number]): boolean => version === 'caller';
  const services = candidates.filter((one) => !isCaller(one)).map(({ service }) => service);
  const callerCopies = candidates
    .filter(isCaller)
    .map(({ service, why = '' }) => ({ service, why }));
  const ttlMs = Math.max(1, expiresAt - clock.now());
  const request = { base, services, callerCopies, ttlMs, controlOf: lane };
  return showLane(await lanes.open(actor, request));
}

function showLane(lane: Lane) {
  // A lane that an older version opened has no such field.
  const { ingress = null } = lane;
  return { ...lane, ingress };
}
