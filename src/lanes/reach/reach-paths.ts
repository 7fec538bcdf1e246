import type { Hop } from '../../router/index.ts';
import { isDuring } from './own-calls.ts';

/** A call with the calls that were made for it. */
export interface CallTree {
  readonly hop: Hop;
  readonly calls: CallTree[];
}

/** Everything that was seen of one request: usually one call from outside, with what followed. */
export interface RequestPath {
  /** Its trace id or request id; null when it had neither. */
  readonly request: string | null;
  readonly calls: readonly CallTree[];
}

/** Puts hops together that belong to one request, and each below the one it was made for. */
export function requestPaths(hops: readonly Hop[]): RequestPath[] {
  const sorted = hops.toSorted((one, other) => one.startedAt - other.startedAt || one.n - other.n);
  return groups(sorted).map((group) => ({ request: nameOf(group), calls: nest(group) }));
}

/** Those that belong to the request with this id, also where only its trace was handed on. */
export function hopsOfRequest(hops: readonly Hop[], requestId: string): readonly Hop[] {
  return groups(hops).find((group) => group.some((hop) => hop.requestId === requestId)) ?? [];
}

/** By trace or by request: a service may hand on either of them, and some only one. */
function groups(hops: readonly Hop[]): Hop[][] {
  const all: Hop[][] = [];
  const byName = new Map<string, Hop[]>();
  for (const hop of hops) {
    const names = [hop.traceId && `trace ${hop.traceId}`, hop.requestId && `id ${hop.requestId}`];
    const group = names.map((name) => name && byName.get(name)).find(Boolean) || [];
    if (group.length === 0) all.push(group);
    group.push(hop);
    for (const name of names) if (name) byName.set(name, group);
  }
  return all;
}

function nameOf(group: readonly Hop[]): string | null {
  const [first] = group;
  return first?.requestId ?? first?.traceId ?? null;
}

/**
 * A call that repeats the span of one call to its caller was made for that one. Otherwise a call
 * was made for the latest call before it that came to its caller and was not answered yet:
 * one that called back into its caller has been answered when the caller goes on. After all answers
 * it was made for the latest.
 */
function nest(group: readonly Hop[]): CallTree[] {
  const roots: CallTree[] = [];
  const seen: CallTree[] = [];
  for (const hop of group) {
    const call: CallTree = { hop, calls: [] };
    const callers = seen.filter(({ hop: before }) => before.to === hop.from);
    const caller =
      ofSameSpan(hop, callers) ??
      callers.findLast((one) => isDuring(hop, one.hop)) ??
      callers.at(-1);
    if (caller) caller.calls.push(call);
    else roots.push(call);
    seen.push(call);
  }
  return roots;
}

/** Tells requests apart that a service handled at once, if it passes headers on unchanged. */
function ofSameSpan({ spanId }: Hop, callers: readonly CallTree[]): CallTree | undefined {
  if (spanId === undefined) return undefined;
  const [caller, ...others] = callers.filter(({ hop }) => hop.spanId === spanId);
  return others.length === 0 ? caller : undefined;
}
