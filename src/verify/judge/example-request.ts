import type { Hop } from '../../lanes/index.ts';
import { type Difference, hopName } from '../compare/index.ts';

export type ExampleRequest = {
  readonly requestId: string | null;
  readonly traceId: string | null;
};

/** A request that shows a difference: the last one over that hop, preferably one that failed. */
export function exampleOf(difference: Difference, hops: readonly Hop[]): ExampleRequest {
  const own = hops.filter((hop) => isAbout(hop, difference));
  const text = JSON.stringify(difference.examples.after);
  const named = own.findLast(({ requestId }) => requestId !== null && text.includes(requestId));
  const failed = own.findLast(({ status }) => status >= 500);
  const isKnown = ({ requestId }: Hop): boolean => requestId !== null;
  const hop = named ?? failed ?? own.findLast(isKnown) ?? own.at(-1);
  return { requestId: hop?.requestId ?? null, traceId: hop?.traceId ?? null };
}

/** The hops of a request whose id a suite reported. */
export function hopsOfRequest(requestId: string | null, hops: readonly Hop[]): Hop[] {
  return hops.filter((hop) => requestId !== null && hop.requestId === requestId);
}

function isAbout(hop: Hop, { hop: name, service }: Difference): boolean {
  return name === null ? hop.to === service || hop.from === service : hopName(hop) === name;
}
