import { setTimeout as delay } from 'node:timers/promises';
import { proveReach } from '../../src/lanes/index.ts';
import type { Router, RouteTable } from '../../src/router/index.ts';
import { until } from '../harness/until.ts';
import { type Fleet, laneKey, type Member, traceSecret } from './fleet.ts';
import { type Asked, type Judgement, judge, type RunLane, type Witness } from './judge.ts';
import type { ServicePlan, SystemPlan } from './plan.ts';
import type { Part } from './service-main.ts';

export interface Place {
  readonly fleet: Fleet;
  readonly router: Router;
  /** Where keyed requests go. */
  readonly port: number;
}

interface OpenLane {
  readonly key: string;
  /** Its number in trace ids. */
  readonly trace: string;
  readonly members: readonly Member[];
  isDead: boolean;
}

/** Plays one system from its first request to the last thing that it does, and judges it. */
export async function runSystem(plan: SystemPlan, place: Place): Promise<Judgement> {
  const lanes = openLanes(plan, place.fleet);
  const players = playersOf(plan, place.fleet, lanes);
  await Promise.all(players.map((member) => member.start()));
  await assign(plan, place.fleet, players);
  await place.router.setTable(tableOf(plan, place.fleet, lanes));
  const asked = await drive(plan, place, lanes);
  const seen = await settle(players.filter((member) => !isKilled(member, plan, lanes)));
  const judgement = await judgePatiently({ ...seen, asked }, () =>
    Promise.all(lanes.map((lane) => look(lane, plan, place.router))),
  );
  await Promise.all(lanes.map(({ key }) => place.router.forget(key)));
  return judgement;
}

const looksMax = 60;

/** Nobody waits for a report, so one about the very last call may come after its answer. */
async function judgePatiently(
  known: Omit<Witness, 'lanes'>,
  lookAtAll: () => Promise<RunLane[]>,
): Promise<Judgement> {
  for (let looks = 1; ; looks++) {
    const judgement = judge({ ...known, lanes: await lookAtAll() });
    if (judgement.problems.length === 0 || looks === looksMax) return judgement;
    await delay(50);
  }
}

function openLanes({ lanes }: SystemPlan, { spare }: Fleet): OpenLane[] {
  return lanes.map(({ services }, lane) => ({
    key: laneKey(lane),
    trace: (lane + 1).toString(16).padStart(8, '0'),
    members: spare.filter((member) => member.lane === lane && services.includes(member.service)),
    isDead: false,
  }));
}

function playersOf(plan: SystemPlan, fleet: Fleet, lanes: readonly OpenLane[]): Member[] {
  return [
    ...fleet.baseline.slice(0, plan.services.length),
    ...lanes.flatMap(({ members }) => members),
  ];
}

async function assign(plan: SystemPlan, fleet: Fleet, players: readonly Member[]): Promise<void> {
  const named = new Map(plan.services.map((service) => [service.name, service]));
  await Promise.all(
    players.map(async (member) => {
      const service = named.get(member.service) as ServicePlan;
      await member.tell({ kind: 'play', part: partOf(service, plan, fleet) });
    }),
  );
}

/** Every instance calls the baseline's addresses, as it is configured; the rest is routing. */
function partOf(service: ServicePlan, { services, death }: SystemPlan, { baseline }: Fleet): Part {
  const addressOf = (name: string): number => {
    const index = services.findIndex((other) => other.name === name);
    return (baseline[index] as Member).port((services[index] as ServicePlan).speaks);
  };
  const calls = service.calls.map((call) => ({ ...call, port: addressOf(call.to) }));
  const { order, refusesFirst, everyMs } = service;
  const doomed = death?.kills ? laneKey(death.lane) : null;
  return { calls, order, refusesFirst, everyMs, doomed };
}

function tableOf(plan: SystemPlan, fleet: Fleet, lanes: readonly OpenLane[]): RouteTable {
  const speechOf = new Map(plan.services.map(({ name, speaks }) => [name, speaks]));
  const portOf = (member: Member): number => member.port(speechOf.get(member.service) ?? 'http');
  const services = plan.services.map(({ name, speaks }, index) => [
    name,
    {
      port: portOf(fleet.baseline[index] as Member),
      protocol: speaks === 'nats' ? 'http' : speaks,
    },
  ]);
  const open = lanes.filter(({ isDead }) => !isDead);
  return {
    ingress: 's0',
    traceSecret,
    services: Object.fromEntries(services),
    lanes: Object.fromEntries(
      open.map(({ key, trace, members }) => [
        key,
        {
          lane: `lane_${key}`,
          trace,
          overrides: Object.fromEntries(
            members.map((member) => [
              member.service,
              { port: portOf(member), instance: member.instance },
            ]),
          ),
        },
      ]),
    ),
  };
}

/** All requests, and in their midst the end of a lane. */
async function drive(plan: SystemPlan, place: Place, lanes: OpenLane[]): Promise<Asked[]> {
  const asked = plan.requests.map(async ({ id, lane, afterMs }) => {
    await delay(afterMs);
    const key = lane === null ? null : (lanes[lane] as OpenLane).key;
    return { id, key, status: await ask(id, key, place) };
  });
  const [answers] = await Promise.all([Promise.all(asked), endLane(plan, place, lanes)]);
  return answers;
}

async function ask(id: string, key: string | null, { fleet, port }: Place): Promise<number> {
  const to = key === null ? (fleet.baseline[0] as Member).port('http') : port;
  const keyed = key === null ? {} : { baggage: `surety-lane=${key}` };
  const call = { items: [{ id, truth: key, trail: ['outside'] }], from: 'outside', attempt: 1 };
  const response = await fetch(`http://127.0.0.1:${to}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': id, ...keyed },
    body: JSON.stringify(call),
  }).catch(() => null);
  await response?.arrayBuffer().catch(() => null);
  return response?.status ?? 0;
}

async function endLane(plan: SystemPlan, place: Place, lanes: OpenLane[]): Promise<void> {
  if (plan.death === null) return;
  await delay(plan.death.afterMs);
  const lane = lanes[plan.death.lane] as OpenLane;
  lane.isDead = true;
  // A lane whose processes die is not always closed first.
  if (plan.death.kills) await Promise.all(lane.members.map((member) => member.kill()));
  await place.router.setTable(tableOf(plan, place.fleet, lanes));
}

function isKilled(member: Member, { death }: SystemPlan, lanes: readonly OpenLane[]): boolean {
  return death?.kills === true && (lanes[death.lane]?.members.includes(member) ?? false);
}

/** When nobody has anything to do any more, also not in the background. */
async function settle(players: readonly Member[]): Promise<Pick<Witness, 'served' | 'errors'>> {
  await Promise.all(players.map((member) => member.tell({ kind: 'rest' })));
  return until('the system has come to rest', async () => {
    const reports = await Promise.all(players.map((member) => member.tell({ kind: 'collect' })));
    const collected = reports.flatMap((report) => (report.kind === 'collected' ? [report] : []));
    if (collected.some(({ pending }) => pending > 0)) return null;
    return {
      served: collected.flatMap(({ served }) => served),
      errors: collected.flatMap(({ errors }) => errors),
    };
  });
}

async function look(
  { key, members, isDead }: OpenLane,
  { services }: SystemPlan,
  router: Router,
): Promise<RunLane> {
  const { hops } = await router.hops(key);
  const dependencies = services.map(({ name, calls }) => [
    name,
    { dependsOn: calls.map(({ to }) => to) },
  ]);
  const candidates = members.map(({ service, instance }) => ({ service, instance }));
  const { lost } = proveReach({ candidates }, hops, { services: Object.fromEntries(dependencies) });
  const instances = new Map(candidates.map(({ service, instance }) => [service, instance]));
  return { key, candidates: instances, isDead, lost };
}
