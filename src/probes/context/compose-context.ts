import { isJsonObject, type Json } from '../../kernel/index.ts';
import type { Capture, InstrumentSummary, Observation, ProbeKind } from '../api-schema.ts';
import type { ActiveProbe } from '../probe.ts';
import type { RuntimeContext } from './api-schema.ts';
import type { ObservablePoint } from './observable-points.ts';

/** A probe that observes one point. */
export interface PlacedPoint {
  readonly point: ObservablePoint;
  readonly kind: ProbeKind;
  readonly probe: ActiveProbe;
}

type Composed = Pick<RuntimeContext, 'functions' | 'branches' | 'values'>;

/** What the probes of a context have seen, by what the code is there. */
export function composeContext(placed: readonly PlacedPoint[]): Composed {
  return {
    functions: placed.filter(({ kind }) => kind === 'snapshot').flatMap(functionOf(placed)),
    branches: placed.flatMap(({ point, probe }) =>
      point.kind === 'branch'
        ? [{ line: point.line, text: point.text, ways: summaryOf(probe)?.tally ?? {} }]
        : [],
    ),
    values: placed.flatMap(({ point, probe }) => {
      if (point.kind !== 'value') return [];
      const { declaredLine: line, expression, isAnswer } = point;
      return [{ line, expression, isAnswer, types: summaryOf(probe)?.tally ?? {} }];
    }),
  };
}

function functionOf(placed: readonly PlacedPoint[]) {
  return ({ point, probe }: PlacedPoint): Composed['functions'] => {
    if (point.kind !== 'function') return [];
    const timed = placed.find((one) => one.point === point && one.kind === 'duration');
    const duration = timed && summaryOf(timed.probe);
    const entry = summaryOf(probe);
    const captures = probe.captures.kept;
    return [
      {
        function: point.function,
        line: point.line,
        calls: entry?.estimatedHits ?? 0,
        perSecond: entry?.perSecond ?? 0,
        durationMs: duration?.distribution?.count ? duration.distribution : null,
        arguments: Object.fromEntries(
          point.parameters.map((name) => [name, tallyTypes(captures, name)]),
        ),
        callers: tallyCallers(captures),
      },
    ];
  };
}

function summaryOf(probe: PlacedPoint['probe']): InstrumentSummary | undefined {
  return probe.instances().find(({ summary }) => summary)?.summary ?? undefined;
}

function tallyTypes(captures: readonly Capture[], name: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { values } of captures) {
    const observed = values[name];
    if (observed === undefined) continue;
    const shape = formatShape(observed);
    counts[shape] = (counts[shape] ?? 0) + 1;
  }
  return counts;
}

/** `string`, `[number]`, `{id, amount}`: no values. */
function formatShape(observed: Observation): string {
  if ('error' in observed) return `error: ${observed.error}`;
  const { type, value } = observed;
  return type === 'object' || type === 'array' ? formatMembers(value as Json, type) : type;
}

function formatMembers(value: Json, type: string): string {
  if (Array.isArray(value)) {
    const [first] = value;
    return `[${first === undefined ? '' : typeof first}]`;
  }
  return isJsonObject(value) ? `{${Object.keys(value).join(', ')}}` : type;
}

function tallyCallers(captures: readonly Capture[]): Composed['functions'][number]['callers'] {
  const callers = new Map<string, Composed['functions'][number]['callers'][number]>();
  for (const { stack } of captures) {
    const [, caller] = stack;
    if (caller === undefined) continue;
    const key = `${caller.function} ${caller.file}:${caller.line}`;
    callers.set(key, { ...caller, count: (callers.get(key)?.count ?? 0) + 1 });
  }
  return [...callers.values()].sort((one, other) => other.count - one.count);
}
