import { type Actor, fault } from '../kernel/index.ts';
import type { Config, ReadKind } from '../system/index.ts';
import type { SqlQuestion } from '../telemetry/index.ts';

/** The views of telemetry behind each kind; all may read what changed and what was alerted. */
const views: Readonly<Record<ReadKind, readonly string[]>> = {
  logs: ['logs'],
  traces: ['spans', 'requests', 'hops'],
  metrics: ['metrics'],
  captures: [],
  sql: [],
};
const commonViews = ['deployments', 'alerts'];

type Reads = NonNullable<Config['agents'][string]['reads']>;

/** What surety.yaml lets an agent read; undefined: everything that agents may. */
function readsOf({ agents }: Config, actor: Actor): Reads | undefined {
  if (!actor.startsWith('agent:')) return undefined;
  const name = actor.slice('agent:'.length);
  return Object.hasOwn(agents, name) ? agents[name]?.reads : undefined;
}

/** Refuses an agent that may not read this kind, of this service or, without one, of all. */
export function checkRead(config: Config, actor: Actor, kind: ReadKind, service?: string): void {
  const reads = readsOf(config, actor);
  if (!reads) return;
  const { kinds, services } = reads;
  const isSeen = services === undefined || (service !== undefined && services.includes(service));
  if (kinds.includes(kind) && isSeen) return;
  const of = service === undefined ? 'all services' : service;
  const what = kinds.includes(kind) ? `${kind} of ${of}` : kind;
  throw fault('READ_DENIED', { agent: actor, what });
}

/** Refuses an agent that may not read this kind at all. */
export function checkReadOfAny(config: Config, actor: Actor, kind: ReadKind): void {
  const [service] = readsOf(config, actor)?.services ?? [];
  checkRead(config, actor, kind, service);
}

/** What of telemetry a caller may see by a query. */
export function readableTelemetry(
  config: Config,
  actor: Actor,
): Pick<SqlQuestion, 'views' | 'services' | 'capturesOf'> {
  if (!actor.startsWith('agent:')) return {};
  const reads = readsOf(config, actor);
  if (!reads) return { capturesOf: actor };
  const capturesOf = reads.kinds.includes('captures') ? actor : '';
  const seen = [...commonViews, ...reads.kinds.flatMap((kind) => views[kind])];
  return { views: seen, capturesOf, ...(reads.services ? { services: reads.services } : {}) };
}
