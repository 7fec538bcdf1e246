import { createConnection } from 'node:net';
import { isFault } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { ExamineDeps, LiveSide } from '../examine.ts';
import { failedOnlyHere } from '../judge.ts';
import { observe } from '../observe.ts';
import { concluded, conditionOf } from './condition.ts';
import type { ExaminedCondition } from './configuration.ts';

const dependenciesMax = 3;
const unansweredMin = 5;

/** Tests services that did not answer the calls of the failing requests. */
export async function examineDependencies(
  live: LiveSide,
  deps: ExamineDeps,
): Promise<ExaminedCondition[]> {
  const all: ExaminedCondition[] = [];
  for (const service of unansweredServices(live.symptom.hops).slice(0, dependenciesMax)) {
    if (!Object.hasOwn(deps.config.services, service)) continue;
    all.push(await test(service, live, deps));
    if (all.at(-1)?.condition.status === 'confirmed') break;
  }
  return all;
}

/** Services of which no call was answered, those with most calls first. Pure. */
export function unansweredServices(hops: readonly Hop[]): string[] {
  const byCallee = Map.groupBy(
    hops.filter(({ from }) => from !== null),
    ({ to }) => to,
  );
  return [...byCallee]
    .filter(([, calls]) => calls.every(({ answered }) => !answered))
    .toSorted(([, left], [, right]) => right.length - left.length)
    .map(([callee]) => callee);
}

async function test(
  service: string,
  live: LiveSide,
  deps: ExamineDeps,
): Promise<ExaminedCondition> {
  const callers = callersOf(service, live.symptom.hops);
  const condition = conditionOf('dependency', {
    id: `dependency-${service}`,
    statement: `${service}, which ${callers.join(' and ')} calls, does not answer`,
    service,
    variable: '',
  });
  const ended = (status: 'open' | 'refuted', fact: string): ExaminedCondition => ({
    condition: concluded(condition, status, fact),
    checks: [],
    remedy: '',
  });
  if (!(await refuses(service, deps))) {
    return ended('open', 'it accepts connections and does not answer: why is not known');
  }
  const lane = await deps.open(undefined, [service]).catch((error: unknown) => {
    if (isFault(error)) return error.message;
    throw error;
  });
  if (typeof lane === 'string') return ended('open', `a copy of it does not start: ${lane}`);
  const copy = await observe(lane, live.version, [], deps, 2);
  const again = await observe(live.lane, live.version, [], deps);
  const failing = [...live.symptom.runs, ...again.runs];
  const checks = failedOnlyHere(failing, copy.runs);
  if (checks.length === 0) return ended('refuted', 'the symptom stays with a copy of it');
  if (!(await refuses(service, deps))) return ended('open', 'it came back meanwhile');
  // The lane remembers its hops of both runs.
  const bad = callsTo(service, again.hops);
  const good = callsTo(service, copy.hops);
  const failed = bad.filter(({ answered }) => !answered).length;
  const missed = good.filter(({ answered }) => !answered).length;
  if (failed < unansweredMin || failed < bad.length || missed > 0) {
    return ended(
      'open',
      `${failed} of ${bad.length} calls had no answer, ${missed} of ${good.length} with a copy`,
    );
  }
  const fact = `it refuses connections; ${failed} of ${bad.length} calls to it had no answer, with a copy of it ${missed} of ${good.length}`;
  return { condition: concluded(condition, 'confirmed', fact), checks, remedy: '' };
}

const callsTo = (service: string, hops: readonly Hop[]): Hop[] =>
  hops.filter(({ from, to }) => from !== null && to === service);

function callersOf(service: string, hops: readonly Hop[]): string[] {
  return [...new Set(callsTo(service, hops).flatMap(({ from }) => from ?? []))].sort();
}

const connectMsMax = 2_000;

/** Only a refusal proves that nothing listens; a timeout proves nothing. */
function refuses(service: string, { config }: ExamineDeps): Promise<boolean> {
  const { host = '127.0.0.1', port = 0 } = config.services[service] ?? {};
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: connectMsMax });
    const end = (isRefused: boolean): void => {
      socket.destroy();
      resolve(isRefused);
    };
    socket.once('connect', () => end(false));
    socket.once('timeout', () => end(false));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNREFUSED'));
  });
}
