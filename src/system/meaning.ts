import type { Problem } from '../document/index.ts';
import type { Config } from './schema.ts';
import { startOrder } from './start-order.ts';

/** What is wrong with a configuration whose every value is right by itself. */
export function meaningProblems(config: Config): Problem[] {
  return [
    ...ledgerProblems(config),
    ...serviceProblems(config),
    ...ingressProblems(config),
    ...alertProblems(config),
  ];
}

function ledgerProblems({ ledger }: Config): Problem[] {
  if (ledger.store === 'postgres' && ledger.url === undefined) {
    return [{ path: ['ledger', 'store'], message: 'postgres needs ledger.url' }];
  }
  if (ledger.store === 'sqlite' && ledger.url !== undefined) {
    return [{ path: ['ledger', 'url'], message: 'ledger.url needs ledger.store: postgres' }];
  }
  return [];
}

function serviceProblems({ services }: Config): Problem[] {
  const problems: Problem[] = [];
  const ports = new Map<number, string>();
  for (const [name, { port, dependsOn }] of Object.entries(services)) {
    const other = ports.get(port);
    if (other)
      problems.push({ path: ['services', name, 'port'], message: `${other} has port ${port} too` });
    ports.set(port, name);
    for (const needed of dependsOn.filter((needed) => !Object.hasOwn(services, needed))) {
      problems.push({
        path: ['services', name, 'dependsOn'],
        message: `there is no service ${needed}`,
      });
    }
  }
  if (problems.length > 0) return problems;
  const { circle } = startOrder(services);
  const message = `these wait for each other: ${circle.join(' → ')}`;
  return circle.length > 0 ? [{ path: ['services'], message }] : [];
}

function ingressProblems({ services, ingress }: Config): Problem[] {
  if (ingress === undefined || Object.hasOwn(services, ingress)) return [];
  return [{ path: ['ingress'], message: `there is no service ${ingress}` }];
}

function alertProblems({ services, alerts }: Config): Problem[] {
  return Object.entries(alerts)
    .filter(([, { service }]) => !Object.hasOwn(services, service))
    .map(([name, { service }]) => ({
      path: ['alerts', name, 'service'],
      message: `there is no service ${service}`,
    }));
}
