import type { Difference } from '../compare/index.ts';
import { tellRequest } from './judge-load.ts';
import type { Relapsed } from './judge-retried.ts';
import type { SweptFault } from './swept-fault.ts';

/** In words, with the fault by which anybody can see it again. */
export function tellRelapse({ fault, relapse }: Relapsed, services: readonly string[]): Difference {
  const { class: kind, what, hop, place, before, after, by } = relapse;
  const request = requestOf(fault);
  const asked = `surety-fault=${fault.hop}:${fault.kind}`;
  return {
    class: kind,
    what,
    service: culpritOf(
      relapse.by.hops.map(({ to }) => to),
      fault,
      services,
    ),
    hop,
    place: place === null ? request : `${place} of ${request}`,
    before,
    after: `${after} (${tellFault(fault)}; ${request} with baggage ${asked}, then without)`,
    examples: { before: null, after: { request: by.ids.at(-1) ?? null } },
    severity: 'fail',
    confidence: 0.99,
  };
}

function requestOf({ steps }: SweptFault): string {
  const last = steps.at(-1);
  return last ? tellRequest(last.request) : '';
}

function tellFault({ hop, kind }: SweptFault): string {
  const [from, to] = hop.split('>');
  if (kind === 'lost') return `${to} had done it, and its answer to ${from} was lost`;
  return `${to} was away when ${from} called it`;
}

/** Of the changed ones who was called, or who called; else the last that the request came to. */
function culpritOf(
  reached: readonly string[],
  { hop }: SweptFault,
  services: readonly string[],
): string {
  const [from, to] = hop.split('>');
  const isChanged = (one: string | undefined) => one !== undefined && services.includes(one);
  return [to, from, ...reached.toReversed()].find(isChanged) ?? services[0] ?? '';
}
