export type { Environment } from '../document/index.ts';
export { defaultConfig, parseConfig, readConfig } from './config.ts';
export { servicesOf } from './ownership.ts';
export {
  type AlertConfig,
  type Config,
  configSchema,
  type ServiceConfig,
  type SuiteConfig,
} from './schema.ts';
export { startOrder } from './start-order.ts';
