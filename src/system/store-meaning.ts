import type { Problem } from '../document/index.ts';
import type { ConfigDocument } from './schema.ts';

const branches = {
  postgres: ['template'],
  redis: ['database', 'prefix'],
} as const;

/** What is wrong with datastores, and with those who use them. */
export function storeProblems({ services, suites, datastores }: ConfigDocument): Problem[] {
  const users = [
    ...Object.entries(services).map(([name, { stores }]) => ({ path: ['services', name], stores })),
    ...Object.entries(suites).map(([name, { stores = [] }]) => ({
      path: ['suites', name],
      stores,
    })),
  ];
  const missing = users.flatMap(({ path, stores }) =>
    stores
      .filter((store) => !Object.hasOwn(datastores, store))
      .map((store) => ({ path: [...path, 'stores'], message: `there is no datastore ${store}` })),
  );
  const wrong = Object.entries(datastores).flatMap(([store, { kind, branch }]) => {
    const ways: readonly string[] = branches[kind];
    if (typeof branch !== 'string' || ways.includes(branch)) return [];
    const message = `${kind} is branched by ${ways.join(' or ')}, or by { create, drop }`;
    return [{ path: ['datastores', store, 'branch'], message }];
  });
  return [...missing, ...wrong];
}

/** What is wrong with how services use queues. */
export function queueProblems({ services, queues }: ConfigDocument): Problem[] {
  return Object.entries(services).flatMap(([service, { queues: used }]) =>
    used.flatMap((name) => {
      const queue = Object.hasOwn(queues, name) ? queues[name] : undefined;
      if (queue?.variable !== undefined) return [];
      const message = queue
        ? `${name} has no variable by which it could be told where it is`
        : `there is no queue ${name}`;
      return [{ path: ['services', service, 'queues'], message }];
    }),
  );
}
