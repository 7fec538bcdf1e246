import { findChangePoint, shiftScore } from './change-point.ts';
import { quantile } from './robust.ts';
import type { RankInput, Series, ServiceCall } from './series.ts';

/** How far one series of a service moved at the onset. */
export interface MetricShift {
  readonly metric: string;
  /** 0 if it moved no more than it does by itself; one more is about three times as far. */
  readonly score: number;
  /** The medians before and after. */
  readonly from: number;
  readonly to: number;
}

export interface RankedService {
  readonly service: string;
  readonly score: number;
  /** The largest first. */
  readonly shifts: readonly MetricShift[];
  /** Called services whose own change explains what is slow or fails here. */
  readonly explainedBy: readonly string[];
}

export interface Ranking {
  /** In seconds; null if nothing changed. */
  readonly onset: number | null;
  /** The likeliest cause first. */
  readonly services: readonly RankedService[];
}

/** Ranks services by how much their own signals changed at the onset. Pure. */
export function rankServices({ series, calls, onset }: RankInput): Ranking {
  const began = onset ?? commonOnset(series);
  if (began === null) return { onset: null, services: [] };
  const byService = Map.groupBy(series, ({ service }) => service);
  const own = new Map<string, MetricShift[]>();
  for (const [service, all] of byService) own.set(service, shiftsOf(all, began));
  const services = [...own].map(([service, shifts]) => scoreService(service, shifts, calls, own));
  return { onset: began, services: services.toSorted((left, right) => right.score - left.score) };
}

const chanceMax = 0.001;

/** The median of the clear change-points: one series that changed for itself does not move it. */
function commonOnset(series: readonly Series[]): number | null {
  const changes = series.flatMap(({ times, values }) => {
    const change = findChangePoint(values);
    return change && change.chance <= chanceMax ? (times[change.index] ?? []) : [];
  });
  return changes.length === 0 ? null : quantile(changes, 0.5);
}

function shiftsOf(series: readonly Series[], onset: number): MetricShift[] {
  const shifts = series.map(({ metric, times, values }) => {
    const split = times.findIndex((time) => time >= onset);
    const [before, after] = [values.slice(0, split), values.slice(split)];
    const score = split < 0 ? 0 : shiftScore(before, after);
    return { metric, score, from: quantile(before, 0.5), to: quantile(after, 0.5) };
  });
  return shifts.toSorted((left, right) => right.score - left.score);
}

/** What a service shows because somebody that it calls is slow or fails. */
const symptomMetric = /lat|duration|time|err|fail|5xx|http/i;
/** A fault explains the symptom of a caller that is at most this much larger. */
const explainedShare = 0.8;

/** Each further metric counts half: a fault that many metrics show is more likely than noise. */
function scoreService(
  service: string,
  shifts: readonly MetricShift[],
  calls: readonly ServiceCall[],
  own: ReadonlyMap<string, readonly MetricShift[]>,
): RankedService {
  const callees = calls.filter(([from, to]) => from === service && to !== service);
  const symptom = shifts.find(({ metric }) => symptomMetric.test(metric))?.score ?? 0;
  const explainedBy = [...new Set(callees.map(([, callee]) => callee))].filter(
    (callee) => symptom > 0 && largest(own.get(callee)) >= explainedShare * symptom,
  );
  const counted = shifts
    .map(({ metric, score }) =>
      explainedBy.length > 0 && symptomMetric.test(metric) ? score / 2 : score,
    )
    .toSorted((left, right) => right - left);
  const score = counted.reduce((sum, one, index) => sum + one / 2 ** index, 0);
  return { service, score, shifts, explainedBy };
}

const largest = (shifts: readonly MetricShift[] = []): number => shifts[0]?.score ?? 0;
