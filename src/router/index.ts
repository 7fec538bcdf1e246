import { fileURLToPath } from 'node:url';

export {
  connectRouter,
  type Router,
} from './control/client.ts';
export type { Hop } from './record/hop.ts';
export type { CapturedRequest } from './record/recorded-traffic.ts';
export type { TakenRequest } from './record/taken-traffic.ts';
export type {
  Door,
  LaneRoutes,
  RouteTable,
  ServiceRoute,
} from './table/table.ts';

/**
 * The program of the router: `node <routerMain> <stateDirectory>`. Beside this file.
 */
export const routerMain: string = fileURLToPath(new URL('./main.ts', import.meta.url));
