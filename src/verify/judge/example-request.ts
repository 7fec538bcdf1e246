import type { Hop } from '../../lanes/index.ts';
import { type Difference, hopName } from '../compare/index.ts';

export type ShownBy = { readonly requestId: string | null; readonly traceId: string | null };

/** One request that shows a difference: the last that took that hop, rather one that failed. */
export function shownBy(difference: Difference, hops: readonly Hop[]): ShownBy {
  const about = hops.filter((hop) => isAbout(hop, difference));
  const text = JSON.stringify(difference.examples.after);
  const named = about.findLast(({ requestId }) => requestId !== null && text.includes(requestId));
  const failed = about.findLast(({ status }) => status >= 500);
  const isKnown = ({ requestId }: Hop): boolean => requestId !== null;
  return told(named ?? failed ?? about.findLast(isKnown) ?? about.at(-1));
}

/** The hops of a request that a suite has named itself. */
export function ofRequest(requestId: string | null, hops: readonly Hop[]): Hop[] {
  return hops.filter((hop) => requestId !== null && hop.requestId === requestId);
}

export function told(hop: Hop | undefined): ShownBy {
  return { requestId: hop?.requestId ?? null, traceId: hop?.traceId ?? null };
}

function isAbout(hop: Hop, { hop: name, service }: Difference): boolean {
  return name === null ? hop.to === service || hop.from === service : hopName(hop) === name;
}
