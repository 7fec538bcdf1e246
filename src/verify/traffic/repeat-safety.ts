import type { Hop, Lane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import { outwardRoutes, routeName } from './outward-routes.ts';
import type { Scenario, ScenarioRequest } from './scenario.ts';

/** Whether a request may be repeated without harm. */
export type IsSafe = (request: ScenarioRequest) => boolean;

/** Whether a call between services, made for an `entered` request, may be sent by itself. */
export type IsSafeInside = (entered: Route, call: Route & Pick<Hop, 'to'>) => boolean;

type Route = Pick<Hop, 'method' | 'path'>;

type SafeLane = Pick<Lane, 'data'>;

/**
 * Reads; routes that surety.yaml declares safe; and, if the lane has its own copy of every
 * datastore and no queue leads out of it, requests that were seen to reach no third party, and to
 * change none but the `copied` services, if these are given.
 */
export function safetyOf(
  config: Config,
  lanes: readonly SafeLane[],
  seen: readonly Hop[] = [],
  copied?: ReadonlySet<string>,
): IsSafe {
  const isDeclared = declaredIn(config);
  const staysInside = effectsInside(config, lanes, seen, copied);
  return (request) => isRead(request) || isDeclared(request) || staysInside(request);
}

/**
 * Reads; calls that surety.yaml declares safe by the name of the called service; and those of
 * requests whose effects stay inside. A declared request says nothing about the calls it leads to:
 * sent by themselves, they hold values that no caller would send.
 */
export function innerSafetyOf(
  config: Config,
  lanes: readonly SafeLane[],
  seen: readonly Hop[],
  copied?: ReadonlySet<string>,
): IsSafeInside {
  const isDeclared = declaredIn(config);
  const staysInside = effectsInside(config, lanes, seen, copied);
  return (entered, call) => isRead(call) || isDeclared(call, `${call.to} `) || staysInside(entered);
}

export function isRead({ method }: Pick<Route, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

function declaredIn({ traffic }: Config): (route: Route, service?: string) => boolean {
  const routes = traffic.safe.map(routePattern);
  return ({ method, path }, service = '') => {
    const [plain = ''] = path.split('?');
    return routes.some((route) => route.test(`${service}${method} ${plain}`));
  };
}

function effectsInside(
  config: Config,
  lanes: readonly SafeLane[],
  seen: readonly Hop[],
  copied: ReadonlySet<string> | undefined,
): (entered: Route) => boolean {
  const closes = lanes.every((lane) => closesInside(config, lane));
  const outward = outwardRoutes(config, seen, copied);
  return ({ method, path }) => closes && outward.get(routeName(method, path)) === null;
}

/** Which requests are left out and why; null if none is. */
export function formatUnsafe(
  scenarios: readonly Scenario[],
  isSafe: IsSafe,
  { config, seen }: { readonly config: Pick<Config, 'services'>; readonly seen: readonly Hop[] },
): string | null {
  const outward = outwardRoutes(config, seen);
  const unsafe = scenarios.flatMap(({ requests }) => requests).filter((one) => !isSafe(one));
  if (unsafe.length === 0) return null;
  const routes = new Set(
    unsafe.map(({ method, path }) => {
      const reason = outward.get(routeName(method, path));
      return `${method} ${path.split('?')[0]}${reason ? ` (${reason})` : ''}`;
    }),
  );
  const named = [...routes].slice(0, 3).join(', ');
  const more = routes.size > 3 ? `, and ${routes.size - 3} more` : '';
  const [first = ''] = unsafe.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
  const line = `if they are, write traffic: { safe: [${first}] }`;
  return `not measured, because surety.yaml does not declare them safe to repeat: ${named}${more}; ${line}`;
}

function closesInside({ datastores, queues }: Config, { data }: SafeLane): boolean {
  const stores = Object.keys(datastores);
  const own = new Set(data.filter(({ mode }) => mode !== 'shared').map(({ store }) => store));
  const isClosed = stores.length > 0 && stores.every((store) => own.has(store));
  return isClosed && Object.keys(queues).length === 0;
}

/** `POST /orders/(star)/payment`, `pricing POST /quotes`: a star stands for one part of a path. */
function routePattern(route: string): RegExp {
  const parts = route.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
