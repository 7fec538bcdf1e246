export { defaultConfig, type Environment, parseConfig, readConfig } from './config.ts';
export { nearest } from './mistake.ts';
export { type Config, configSchema } from './schema.ts';
