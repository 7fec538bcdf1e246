import type { Hop } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { routeOf } from '../compare/index.ts';

/** By route from outside: null if all its calls were seen and stayed inside; else why not. */
type OutwardRoutes = ReadonlyMap<string, string | null>;

/**
 * A lane with its own data may still reach a third party: each repetition would pay or send a mail
 * again. A route is inside only if none of its calls was seen to leave. If the services are given
 * that the lane has copies of, an effect on any other leaves it as well.
 */
export function outwardRoutes(
  { services }: Pick<Config, 'services'>,
  seen: readonly Hop[],
  copied?: ReadonlySet<string>,
) {
  const routes = new Map<string, string | null>();
  const entered = seen.filter(({ from }) => from === null);
  for (const { method, path } of entered) routes.set(routeName(method, path), null);
  for (const hop of seen) {
    const reason = leadsOut(hop, services) ?? (copied ? leavesCopies(hop, copied) : null);
    if (reason === null) continue;
    for (const { method, path } of causesOf(hop, entered)) {
      routes.set(routeName(method, path), reason);
    }
  }
  return routes satisfies OutwardRoutes;
}

/** `POST /orders/(id)/payment`: what varies in a path has a digit in it. */
export function routeName(method: string, path: string): string {
  return `${method} ${routeOf(path)}`;
}

function leadsOut(
  { instance, method, to, protocol }: Hop,
  services: Config['services'],
): string | null {
  if (instance === 'external') return readMethods.has(method) ? null : `it calls ${to}`;
  // Calls of a program without the preload to third parties are invisible.
  const isBlind = protocol !== 'message' && services[to]?.tagging !== 'preload';
  return isBlind ? `calls of ${to} to third parties are invisible` : null;
}

/** What a service of the baseline holds in memory or in files is shared by everybody. */
function leavesCopies({ method, to, escaped }: Hop, copied: ReadonlySet<string>): string | null {
  const isInside = readMethods.has(method) || (copied.has(to) && !escaped);
  return isInside ? null : `it changes ${to} of the baseline`;
}

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The requests that may have led to the hop: all, if no id shows which. */
function causesOf(hop: Hop, entered: readonly Hop[]): readonly Hop[] {
  const isSame = (one: string | null, other: string | null): boolean =>
    one !== null && one === other;
  const same = entered.filter(
    ({ requestId, traceId }) => isSame(requestId, hop.requestId) || isSame(traceId, hop.traceId),
  );
  return same.length > 0 ? same : entered;
}
