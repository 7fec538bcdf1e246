import type { Config, ServiceConfig } from '../../system/index.ts';
import type { CallerMode } from '../api-schema.ts';
import { calledBy } from '../routing/addresses.ts';
import type { CallerFacts } from './caller-facts.ts';
import { laneCommand } from './lane-command.ts';

/** An unchanged service of which a lane gets its own copy, and why sharing it would be unsafe. */
export interface CallerCopy {
  readonly service: string;
  readonly why: string;
}

export interface CallerChoice {
  readonly copies: readonly CallerCopy[];
  /** Callers that should be copied and can't be, with the reason. */
  readonly uncopied: readonly CallerCopy[];
}

/** Nearest to the change first: each is started after those that it calls. */
export function callersOf(config: Config, changed: readonly string[]): string[] {
  const calls = callsOf(config);
  const callers = new Set<string>();
  for (let targets: readonly string[] = changed; targets.length > 0; ) {
    const next = Object.keys(config.services).filter(
      (name) =>
        !callers.has(name) &&
        !changed.includes(name) &&
        targets.some((target) => calls(name).includes(target)),
    );
    for (const name of next) callers.add(name);
    targets = next;
  }
  const reachable = config.ingress === undefined ? null : reachableFrom(config.ingress, calls);
  return [...callers].filter((name) => reachable?.has(name) ?? true);
}

/** Which of them a lane copies. Pure: what is known about them comes in. */
export function chooseCallers(
  config: Config,
  changed: readonly string[],
  { mode, facts, base }: { mode: CallerMode; facts: CallerFacts; base: string },
): CallerChoice {
  const copies: CallerCopy[] = [];
  const uncopied: CallerCopy[] = [];
  for (const service of callersOf(config, changed)) {
    const own = config.services[service] as ServiceConfig;
    const why = reasonToCopy(own, own.callers ?? mode, facts.of(service, base));
    if (why === null) continue;
    const obstacle = whyNoCopy(config, service);
    if (obstacle === null) copies.push({ service, why });
    else uncopied.push({ service, why: obstacle });
  }
  return { copies, uncopied };
}

function reasonToCopy(
  { tagging }: ServiceConfig,
  mode: CallerMode,
  known: ReturnType<CallerFacts['of']>,
): string | null {
  if (mode === 'shared') return null;
  if (mode === 'own') return 'surety.yaml or the request asks for own callers';
  if (known.loss !== undefined) return known.loss;
  if (tagging === 'none') return 'it passes no key on (tagging: none)';
  if (tagging === 'baggage' && !known.isProven) return 'nothing shows yet that it passes keys on';
  return null;
}

/** Why a lane can't have its own copy of a service; null if it can. */
export function whyNoCopy(config: Config, service: string): string | null {
  const own = config.services[service];
  if (own === undefined) return 'it is not in surety.yaml';
  const { isElsewhere, lane, tagging, queues } = own;
  if (isElsewhere && laneCommand(lane) === undefined)
    return 'it runs elsewhere and has no lane.command';
  if (tagging === 'preload') return null;
  // The preload leaves the messages of others alone; a program without it would take them.
  if (queues.length > 0 && Object.keys(lane.environment).length === 0) {
    return 'a copy would take messages from its queues; say in lane.environment how it does not';
  }
  return calledBy(service, config).length === 0
    ? 'its environment has no address of a service, so that its calls can’t be told apart'
    : null;
}

/** Which services a service calls, as far as surety.yaml says. */
export function callsOf(config: Config): (service: string) => readonly string[] {
  const known = new Map(
    Object.entries(config.services).map(([name, { dependsOn }]) => [
      name,
      [...new Set([...dependsOn, ...calledBy(name, config)])],
    ]),
  );
  return (service) => known.get(service) ?? [];
}

function reachableFrom(
  ingress: string,
  calls: (service: string) => readonly string[],
): ReadonlySet<string> {
  const reached = new Set([ingress]);
  for (const service of reached) for (const next of calls(service)) reached.add(next);
  return reached;
}
