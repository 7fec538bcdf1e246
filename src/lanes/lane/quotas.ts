import { type Actor, fault } from '../../kernel/index.ts';
import type { Config, ServiceConfig } from '../../system/index.ts';
import type { Lane } from '../api-schema.ts';
import type { InstanceState } from '../host/host.ts';

/** As much of a lane, open or about to be, as counts against what there may be. */
export interface QuotaClaim {
  readonly lane: string;
  readonly owner: string;
  readonly services: readonly string[];
  /** What they are seen to use, by service. */
  readonly use?: ReadonlyMap<string, Use>;
}

type Use = Pick<InstanceState, 'memoryBytes' | 'processes'>;

export function claimOf(
  { lane, owner, candidates }: Lane,
  states: ReadonlyMap<string, InstanceState>,
): QuotaClaim {
  const services = candidates.map(({ service }) => service);
  const use = candidates.flatMap(({ service, name }) => {
    const state = states.get(name);
    return state ? [[service, state] as const] : [];
  });
  return { lane, owner, services, use: new Map(use) };
}

/** Whether it matters here what instances use: to see it costs something. */
export function isMeasured({ lanes: { memoryMbMax, processesMax } }: Config): boolean {
  return memoryMbMax !== undefined || processesMax !== undefined;
}

/** Refuses a lane for which there is no room, with the numbers and what could make way. */
export function checkQuotas(
  wanted: QuotaClaim,
  there: readonly QuotaClaim[],
  config: Config,
): void {
  const quotas = config.lanes;
  const own = there.filter(({ owner }) => owner === wanted.owner);
  if (isAgent(wanted.owner)) {
    refuse({ what: 'lanes of one agent', used: own.length, more: 1, max: quotas.perAgent }, own);
  }
  // Anyone who knows the id of a lane can send requests to it, so an agent sees only its own lanes.
  const known = isAgent(wanted.owner) ? own : there;
  refuse({ what: 'lanes', used: there.length, more: 1, max: quotas.perMachine }, known);
  for (const { what, max, weigh } of measuresOf(config)) {
    const sum = (claims: readonly QuotaClaim[]): number =>
      claims
        .flatMap(({ services, use }) => services.map((one) => weigh(one, use?.get(one))))
        .reduce((all, one) => all + one, 0);
    const makeWay = own.length > 0 ? own : known;
    if (max !== undefined) refuse({ what, used: sum(there), more: sum([wanted]), max }, makeWay);
  }
}

interface Measure {
  readonly what: string;
  readonly max: number | undefined;
  readonly weigh: (service: string, use: Use | undefined) => number;
}

/**
 * By what services are allowed to take, or take already, if that is more; one without a limit
 * counts as what is usual. Of CPU only what is allowed: what one takes of it just now, or took
 * while it started, says nothing about later.
 */
function measuresOf({ services, lanes }: Config): Measure[] {
  const limitsOf = (service: string): Partial<ServiceConfig['limits']> =>
    services[service]?.limits ?? {};
  return [
    {
      what: 'processes of lanes',
      max: lanes.processesMax,
      weigh: (one, use) => Math.max(limitsOf(one).processes ?? 1, use?.processes ?? 0),
    },
    {
      what: 'MB of memory for lanes',
      max: lanes.memoryMbMax,
      weigh: (one, use) => Math.max(limitsOf(one).memoryMb ?? 128, mebi(use?.memoryBytes)),
    },
    { what: 'CPUs for lanes', max: lanes.cpuMax, weigh: (one) => limitsOf(one).cpu ?? 0.25 },
  ];
}

const mebi = (bytes: number | null = 0): number => Math.ceil((bytes ?? 0) / (1_024 * 1_024));

const namedMax = 5;

function refuse(
  { what, used, more, max }: { what: string; used: number; more: number; max: number },
  makeWay: readonly QuotaClaim[],
): void {
  if (used + more <= max) return;
  const close = makeWay.slice(0, namedMax).map(({ lane }) => `surety lane close ${lane}`);
  const names = close.join('; ') || 'none is yours';
  throw fault('LANES_FULL', { what, used, more, max, close: names });
}

function isAgent(owner: string): owner is Actor {
  return owner.startsWith('agent:');
}
