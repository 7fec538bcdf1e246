import type { ServiceSources } from './found.ts';

/** Each service on a port of its own: in containers all of them may have the same. */
export function separatePorts(services: readonly ServiceSources[]): {
  readonly services: readonly ServiceSources[];
  readonly unknown: readonly string[];
} {
  const holders = new Map<number, string>();
  const unknown: string[] = [];
  const separate = services.map((service) => {
    const { name, port } = service;
    if (port === undefined) return service;
    const free = freeFrom(port, holders);
    const holder = holders.get(port);
    holders.set(free, name);
    if (holder !== undefined) {
      const told = `${name}: it has port ${port} like ${holder}, and gets ${free} here by PORT`;
      unknown.push(`${told}; check that it heeds that`);
    }
    return { ...service, port: free };
  });
  return { services: separate, unknown };
}

function freeFrom(port: number, holders: ReadonlyMap<number, string>): number {
  let free = port;
  while (holders.has(free)) free++;
  return free;
}
