export { defaultConfig, type Environment, parseConfig, readConfig } from './config.ts';
export { nearest } from './mistake.ts';
export { type Config, configSchema, type ServiceConfig } from './schema.ts';
export { startOrder } from './start-order.ts';
