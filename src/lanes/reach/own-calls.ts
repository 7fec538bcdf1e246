import type { Hop } from '../../router/index.ts';

/**
 * A lane's own instance may call without the key and without the trace of its request. Such a call
 * was made for the request that came to its caller and was not answered yet: nobody else is served
 * there. One that was made while none was served (a timer, a warm-up) is no part of any request,
 * and calls of third parties without the key are not told apart from exporters: both are left out.
 */
export function attributeOwnCalls(hops: readonly Hop[]): readonly Hop[] {
  if (!hops.some(({ own }) => own)) return hops;
  const requests = new Map<string, RequestName>();
  const isGone = new Set<Hop>();
  const sorted = hops.toSorted((one, other) => one.startedAt - other.startedAt);
  for (const hop of sorted) {
    if (!hop.own) continue;
    const served = sorted.filter((inbound) => inbound.to === hop.from && isDuring(hop, inbound));
    const [first] = served;
    if (first === undefined || hop.instance === 'external') isGone.add(hop);
    // With several at once it is left alone: any of them may have made it.
    else if (served.length === 1 && hop.traceId !== null) {
      requests.set(hop.traceId, requests.get(first.traceId ?? '') ?? first);
    }
  }
  return hops.filter((hop) => !isGone.has(hop)).map((hop) => named(hop, requests));
}

type RequestName = Pick<Hop, 'traceId' | 'requestId'>;

/** What followed from such a call has its trace, too. */
function named(hop: Hop, requests: ReadonlyMap<string, RequestName>): Hop {
  const request = hop.traceId === null ? undefined : requests.get(hop.traceId);
  if (request === undefined) return hop;
  return { ...hop, traceId: request.traceId, requestId: hop.requestId ?? request.requestId };
}

/** Whether a call started before a request was answered. */
export function isDuring({ startedAt }: Hop, inbound: Hop): boolean {
  return inbound.startedAt <= startedAt && startedAt <= inbound.startedAt + inbound.durationMs;
}
