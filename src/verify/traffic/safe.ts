import type { Lane } from '../../lanes/index.ts';
import type { Config } from '../../system/index.ts';
import type { Scenario, ScenarioRequest } from './scenario.ts';

/** Which requests may be sent again and again, with nobody the worse for it. */
export type IsSafe = (request: ScenarioRequest) => boolean;

/**
 * What only reads; routes that surety.yaml declares safe; and everything where each datastore that
 * there is belongs to the lane alone and no queue leads out of it.
 */
export function safetyOf(config: Config, lanes: readonly Lane[]): IsSafe {
  const routes = config.traffic.safe.map(routePattern);
  const closes = lanes.every((lane) => closesInside(config, lane));
  return ({ method, path }) => {
    if (method === 'GET' || method === 'HEAD' || closes) return true;
    const [plain = ''] = path.split('?');
    return routes.some((route) => route.test(`${method} ${plain}`));
  };
}

/** How many of the requests are left out, in words; null when none is. */
export function tellUnsafe(scenarios: readonly Scenario[], isSafe: IsSafe): string | null {
  const unsafe = scenarios.flatMap(({ requests }) => requests).filter((one) => !isSafe(one));
  if (unsafe.length === 0) return null;
  const routes = new Set(unsafe.map(({ method, path }) => `${method} ${path.split('?')[0]}`));
  const named = [...routes].slice(0, 3).join(', ');
  return `not measured, since surety.yaml does not declare them safe to repeat: ${named}`;
}

function closesInside({ datastores, queues }: Config, { data }: Lane): boolean {
  const stores = Object.keys(datastores);
  const own = new Set(data.filter(({ mode }) => mode !== 'shared').map(({ store }) => store));
  const isClosed = stores.length > 0 && stores.every((store) => own.has(store));
  return isClosed && Object.keys(queues).length === 0;
}

/** `POST /orders/(star)/payment`: a star is one part of a path. */
function routePattern(route: string): RegExp {
  const parts = route.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^/]+')}$`);
}
