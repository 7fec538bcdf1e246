import type { Config } from '../../system/index.ts';

/** By which variables a service is told where its datastores are: the live ones. */
export function liveEnvironment(config: Config, service: string): Record<string, string> {
  const used = config.services[service]?.stores ?? [];
  return Object.fromEntries(
    used.flatMap((name) => {
      const store = config.datastores[name];
      return store ? [[store.variable, store.url]] : [];
    }),
  );
}
