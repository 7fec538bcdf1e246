import { setTimeout as delay } from 'node:timers/promises';
import { fault, isFault } from '../../kernel/index.ts';
import type { ProbeKind } from '../api-schema.ts';
import { probeLimits } from '../limits.ts';
import type { AttachedProcess } from '../port.ts';
import { findAll, type ProbeDeps, placeProbe } from '../probe.ts';
import type { ContextRequest, RuntimeContext } from './api-schema.ts';
import { composeContext, type PlacedPoint } from './compose-context.ts';
import type { ObservablePoint } from './observable-points.ts';

export interface ObservationRequest
  extends Pick<ContextRequest, 'file' | 'fromLine' | 'toLine' | 'forMs'> {
  readonly pids: readonly number[];
}

interface MissedPoint {
  readonly line: number;
  readonly what: string;
  readonly reason: string;
}

const observeMsDefault = 5_000;
const hitsMax = 200;

/** Observes lines of code in one running process for a while, within the budget of all probes. */
export async function collectContext(
  request: ObservationRequest,
  deps: ProbeDeps,
): Promise<RuntimeContext> {
  checkLines(request);
  const { clock, processes } = deps;
  const { file, fromLine, toLine, forMs = observeMsDefault } = request;
  const { pid, attached, points } = await findPoints(request, deps);
  const found = { placed: [] as PlacedPoint[], missing: [] as MissedPoint[] };
  const { placed, missing } = found;
  try {
    for (const point of points) await observe(point, { pid, file, forMs, ...found }, deps);
    const began = clock.now();
    await Promise.race([
      delay(placed.length > 0 ? forMs : 0),
      Promise.all(placed.map(({ probe }) => probe.ended)),
    ]);
    const observedMs = clock.now() - began;
    await Promise.all(placed.map(({ probe }) => probe.remove()));
    const { runtime } = attached.facts;
    const head = { file, fromLine, toLine, pid, runtime, observedMs };
    return { ...head, ...composeContext(placed), missing };
  } finally {
    await Promise.all(placed.map(({ probe }) => probe.remove()));
    await processes.release(pid);
  }
}

function checkLines({ fromLine, toLine, forMs = 1 }: ObservationRequest): void {
  const { probeContextLinesMax: max, probeContextMsMax } = probeLimits;
  const isRange = Number.isSafeInteger(fromLine) && fromLine >= 1 && toLine >= fromLine;
  if (!isRange || toLine - fromLine >= max) {
    const reason = `they are ${fromLine} to ${toLine}`;
    throw fault('PROBE_REQUEST_INVALID', { field: 'lines', reason, allowed: `1 to ${max} lines` });
  }
  if (forMs >= 1 && forMs <= probeContextMsMax) return;
  const allowed = `1 to ${probeContextMsMax}`;
  throw fault('PROBE_REQUEST_INVALID', { field: 'forMs', reason: `it is ${forMs}`, allowed });
}

interface FoundPoints {
  readonly pid: number;
  readonly attached: AttachedProcess;
  readonly points: readonly ObservablePoint[];
}

/** In the first process that has loaded the file: one instance shows what all do. */
async function findPoints(request: ObservationRequest, deps: ProbeDeps): Promise<FoundPoints> {
  const { processes } = deps;
  let refusal: unknown;
  for (const [pid, instrumenter] of await findAll(request.pids, processes)) {
    const attached = await processes.acquire(pid, instrumenter);
    try {
      if (attached.observable === undefined) {
        const { runtime } = attached.facts;
        throw fault('PROBE_KIND_UNSUPPORTED', { kind: 'context', runtime });
      }
      return { pid, attached, points: await attached.observable(request.file, request) };
    } catch (error) {
      await processes.release(pid);
      if (refusal === undefined || isFault(refusal, 'PROBE_SCRIPT_NOT_FOUND')) refusal = error;
    }
  }
  throw refusal;
}

interface Observation {
  readonly pid: number;
  readonly file: string;
  readonly forMs: number;
  readonly placed: PlacedPoint[];
  readonly missing: MissedPoint[];
}

/** A point that cannot be observed does not keep the others from it. */
async function observe(
  point: ObservablePoint,
  { pid, file, forMs, placed, missing }: Observation,
  deps: ProbeDeps,
): Promise<void> {
  const base = { pids: [pid], file, line: point.line, ttlMs: forMs + 60_000 };
  for (const { kind, ...more } of kindsOf(point)) {
    try {
      const probe = await placeProbe({ ...base, ...more, kind }, deps);
      placed.push({ point, kind, probe });
    } catch (error) {
      const { message } = error as Error;
      missing.push({ line: point.line, what: kind, reason: message });
    }
  }
}

interface PointProbe {
  readonly kind: ProbeKind;
  readonly expressions?: readonly string[];
  readonly hitsMax?: number;
}

function kindsOf(point: ObservablePoint): readonly PointProbe[] {
  if (point.kind === 'branch') return [{ kind: 'branch' }];
  if (point.kind === 'value') return [{ kind: 'types', expressions: [point.expression] }];
  const expressions = point.parameters.slice(0, probeLimits.probeExpressionsMax);
  const entry = expressions.length > 0 ? { expressions } : { expressions: ['undefined'] };
  return [{ kind: 'snapshot', ...entry, hitsMax }, { kind: 'duration' }];
}
