import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { Difference } from './difference.ts';
import { findDrift } from './drift.ts';
import { findLostEchoes } from './echoes.ts';
import type { Drift } from './field-drift.ts';
import { hopName } from './hop-name.ts';
import type { Recordings } from './recording.ts';

const parts = ['request', 'response'] as const;
type Part = (typeof parts)[number];

/** Drift of what services say to each other, hop by hop and field by field. */
export function findContractDrift({ baseline, control, candidate }: Recordings): Difference[] {
  const [first, second, now] = [baseline, control, candidate].map(({ hops }) =>
    Map.groupBy(hops, hopName),
  );
  return [...(now ?? [])].flatMap(([name, hops]) => {
    const [was, again] = [first?.get(name) ?? [], second?.get(name) ?? []];
    return parts.flatMap((part) => {
      const bodies = (seen: readonly Hop[]): Json[] => bodiesOf(seen, part);
      const drifts = findDrift({
        baseline: bodies(was),
        control: bodies(again),
        candidate: bodies(hops),
      });
      const lost =
        part === 'response'
          ? findLostEchoes({ baseline: was, control: again, candidate: hops })
          : [];
      return firstOfEach([...drifts, ...lost]).map((drift) =>
        toDifference(drift, hops[0] as Hop, part),
      );
    });
  });
}

/** One thing that is wrong with a field explains the next. */
function firstOfEach(drifts: readonly Drift[]): Drift[] {
  const failing = (field: string): Drift | undefined =>
    drifts.find((one) => one.field === field && one.severity === 'fail');
  return drifts.filter((drift) => drift.severity === 'notice' || failing(drift.field) === drift);
}

/** Of answers only those that went well: an error has another shape, and that is told as such. */
function bodiesOf(hops: readonly Hop[], part: Part): Json[] {
  const all =
    part === 'request'
      ? hops.map(({ requestBody }) => requestBody)
      : hops.filter(({ status }) => status < 400).map(({ responseBody }) => responseBody);
  return all.filter((body) => body !== null);
}

/** What is said wrongly is the doing of whoever says it. */
function toDifference({ field, ...drift }: Drift, hop: Hop, part: Part): Difference {
  const service = part === 'request' ? (hop.from ?? 'outside') : hop.to;
  const place = `${part} ${field || '(the body)'}`;
  return { class: 'contract', service, hop: hopName(hop), place, ...drift };
}
