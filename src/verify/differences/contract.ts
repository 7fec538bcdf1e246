import type { Json } from '../../kernel/index.ts';
import type { Hop } from '../../lanes/index.ts';
import type { Difference } from './difference.ts';
import { findDrift } from './drift.ts';
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
  return [...(now ?? [])].flatMap(([hop, hops]) =>
    parts.flatMap((part) => {
      const bodies = (seen?: readonly Hop[]): Json[] => bodiesOf(seen ?? [], part);
      const drifts = findDrift({
        baseline: bodies(first?.get(hop)),
        control: bodies(second?.get(hop)),
        candidate: bodies(hops),
      });
      return drifts.map((drift) => toDifference(drift, hops[0] as Hop, part));
    }),
  );
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
