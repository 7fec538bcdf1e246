import { existsSync } from 'node:fs';
import { type Config, defaultConfig, readConfig } from '../system/index.ts';
import type { WorkspacePlace } from './place.ts';

export function loadConfig(place: WorkspacePlace): Config {
  return existsSync(place.configFile) ? readConfig(place.configFile, process.env) : defaultConfig();
}
