import type { Hop } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { routeOf } from '../compare/index.ts';

/** By route from outside: null where all that it led to was seen, and stayed inside; or why not. */
export type Outward = ReadonlyMap<string, string | null>;

/**
 * Data of its own does not keep a lane from telling a third party: a payment that was made there,
 * or a mail, is made again with every repetition. Only what was seen to tell nobody is inside.
 */
export function outwardRoutes({ services }: Pick<Config, 'services'>, seen: readonly Hop[]) {
  const routes = new Map<string, string | null>();
  const entered = seen.filter(({ from }) => from === null);
  for (const { method, path } of entered) routes.set(routeName(method, path), null);
  for (const hop of seen) {
    const reason = leadsOut(hop, services);
    if (reason === null) continue;
    for (const { method, path } of blamed(hop, entered)) {
      routes.set(routeName(method, path), reason);
    }
  }
  return routes satisfies Outward;
}

/** `POST /orders/(id)/payment`: what varies in a path has a digit in it. */
export function routeName(method: string, path: string): string {
  return `${method} ${routeOf(path)}`;
}

function leadsOut(
  { instance, method, to, protocol }: Hop,
  services: Config['services'],
): string | null {
  if (instance === 'external') return onlyAsks.has(method) ? null : `it tells ${to}`;
  // What a program without the preload says to third parties, nobody sees.
  const isBlind = protocol !== 'message' && services[to]?.tagging !== 'preload';
  return isBlind ? `nobody sees whom ${to} tells` : null;
}

const onlyAsks: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whoever may have led to it: all of them, where no id tells. */
function blamed(hop: Hop, entered: readonly Hop[]): readonly Hop[] {
  const isSame = (one: string | null, other: string | null): boolean =>
    one !== null && one === other;
  const same = entered.filter(
    ({ requestId, traceId }) => isSame(requestId, hop.requestId) || isSame(traceId, hop.traceId),
  );
  return same.length > 0 ? same : entered;
}
