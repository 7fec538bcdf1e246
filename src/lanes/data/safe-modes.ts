import { fault } from '../../kernel/index.ts';
import type { Config } from '../../system/index.ts';
import type { DataMode } from '../api-schema.ts';

/**
 * A store that part of the lane's requests read and another part of them do not would show a lane
 * that no system ever was: what one service wrote, the next one would not find.
 */
export function checkModes(
  config: Config,
  services: readonly string[],
  modes: Readonly<Record<string, DataMode>>,
): void {
  for (const [store, mode] of Object.entries(modes)) {
    if (!Object.hasOwn(config.datastores, store)) throw unknown(config, store);
    if (mode !== 'shared') checkUsers(config, services, store);
  }
}

function checkUsers(config: Config, services: readonly string[], store: string): void {
  const users = Object.entries(config.services)
    .filter(([, { stores }]) => stores.includes(store))
    .map(([service]) => service);
  if (users.length === 0) throw fault('DATA_BRANCH_UNUSED', { store });
  const outside = users.filter((service) => !services.includes(service));
  if (outside.length > 0) {
    throw fault('DATA_BRANCH_UNSAFE', { store, services: outside.join(', ') });
  }
}

function unknown(config: Config, store: string): Error {
  const known = Object.keys(config.datastores).join(', ') || 'none';
  return fault('DATASTORE_UNKNOWN', { store, known });
}
