import type { Config } from '../../system/index.ts';

/** The variables that give a service the addresses of its live datastores and queues. */
export function liveEnvironment(config: Config, service: string): Record<string, string> {
  const { stores = [], queues = [] } = config.services[service] ?? {};
  const used = [
    ...stores.map((name) => config.datastores[name]),
    ...queues.map((name) => config.queues[name]),
  ];
  return Object.fromEntries(
    used.flatMap((one) => (one?.variable === undefined ? [] : [[one.variable, one.url]])),
  );
}
