import type { Problem } from '../document/index.ts';
import type { ConfigDocument } from './schema.ts';
import { startOrder } from './start-order.ts';

/** What is wrong with a configuration whose every value is right by itself. */
export function meaningProblems(config: ConfigDocument): Problem[] {
  return [
    ...ledgerProblems(config),
    ...serviceProblems(config),
    ...ingressProblems(config),
    ...aliasProblems(config),
    ...overlayProblems(config),
    ...storeProblems(config),
    ...queueProblems(config),
    ...alertProblems(config),
    ...sloProblems(config),
    ...clientProblems(config),
    ...lanesProblems(config),
    ...telemetryProblems(config),
    ...trafficProblems(config),
  ];
}

function ledgerProblems({ ledger }: ConfigDocument): Problem[] {
  if (ledger.store === 'postgres' && ledger.url === undefined) {
    return [{ path: ['ledger', 'store'], message: 'postgres needs ledger.url' }];
  }
  if (ledger.store === 'sqlite' && ledger.url !== undefined) {
    return [{ path: ['ledger', 'url'], message: 'ledger.url needs ledger.store: postgres' }];
  }
  return [];
}

function serviceProblems({ services }: ConfigDocument): Problem[] {
  const problems: Problem[] = [];
  const ports = new Map<number, string>();
  for (const [name, { port, dependsOn }] of Object.entries(services)) {
    const other = port === undefined ? undefined : ports.get(port);
    if (other)
      problems.push({ path: ['services', name, 'port'], message: `${other} has port ${port} too` });
    if (port !== undefined) ports.set(port, name);
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

function ingressProblems({ services, ingress }: ConfigDocument): Problem[] {
  if (ingress === undefined) return [];
  if (typeof ingress === 'string') return unknownService(services, ingress, ['ingress']);
  const path = ['ingress', 'port'];
  const holder = Object.entries(services).find(([, { port }]) => port === ingress.port)?.[0];
  return [
    ...unknownService(services, ingress.service, ['ingress', 'service']),
    ...(holder ? [{ path, message: `${holder} has port ${ingress.port}` }] : []),
  ];
}

/** Who answered would be anybody's guess. */
function clientProblems({ people }: ConfigDocument): Problem[] {
  const sitting = new Map<string, string>();
  return Object.entries(people).flatMap(([person, { clients }]) =>
    clients.flatMap((agent, index) => {
      const other = sitting.get(agent);
      sitting.set(agent, person);
      if (other === undefined) return [];
      const path = ['people', person, 'clients', index];
      return [{ path, message: `${other} sits at the client of ${agent} already` }];
    }),
  );
}

/** A name that leads to two services leads nowhere. */
function aliasProblems({ services }: ConfigDocument): Problem[] {
  const holders = new Map<string, string>(Object.keys(services).map((name) => [name, name]));
  return Object.entries(services).flatMap(([service, { aliases }]) =>
    aliases.flatMap((alias, index) => {
      const plain = alias.replace(/:\*$/, '');
      const holder = holders.get(plain) ?? service;
      holders.set(plain, service);
      if (holder === service) return [];
      const path = ['services', service, 'aliases', index];
      return [{ path, message: `${alias} already means ${holder}` }];
    }),
  );
}

function overlayProblems({ services, overlays }: ConfigDocument): Problem[] {
  return Object.entries(overlays).flatMap(([name, overlay]) =>
    Object.keys(overlay.services).flatMap((service) => {
      const path = ['overlays', name, 'services', service];
      if (services[service]?.address === undefined) return unknownService(services, service, path);
      const message = `${service} runs already, at its address; an overlay can't change it`;
      return [{ path, message, isKey: true }];
    }),
  );
}

function alertProblems({ services, alerts, slo }: ConfigDocument): Problem[] {
  return Object.entries({ alerts, slo }).flatMap(([section, named]) =>
    Object.entries(named).flatMap(([name, { service }]) =>
      unknownService(services, service, [section, name, 'service']),
    ),
  );
}

function sloProblems({ slo, telemetry }: ConfigDocument): Problem[] {
  if (telemetry.enabled || Object.keys(slo).length === 0) return [];
  return [{ path: ['slo'], message: 'objectives need telemetry.enabled' }];
}

function lanesProblems({ lanes: { ttlMinutes, ttlMinutesMax } }: ConfigDocument): Problem[] {
  if (ttlMinutes <= ttlMinutesMax) return [];
  return [{ path: ['lanes', 'ttlMinutes'], message: `lanes.ttlMinutesMax is ${ttlMinutesMax}` }];
}

function unknownService(
  services: ConfigDocument['services'],
  service: string,
  path: readonly string[],
): Problem[] {
  if (Object.hasOwn(services, service)) return [];
  return [{ path, message: `there is no service ${service}`, isKey: path.at(-1) === service }];
}

/** Only what comes by a port of the router can be recorded; nobody should wait for the rest. */
function trafficProblems({ traffic, ingress }: ConfigDocument): Problem[] {
  if (!traffic.record || typeof ingress === 'object') return [];
  const message = 'recording needs a port that clients use: ingress: { service, port }';
  return [{ path: ['traffic', 'record'], message, isKey: true }];
}

/** Two programs on one port: whoever comes second does not start. */
function telemetryProblems({ services, telemetry }: ConfigDocument): Problem[] {
  const { port, grpcPort } = telemetry;
  const holderOf = (wanted: number | undefined): string | undefined =>
    Object.entries(services).find(([, own]) => wanted !== undefined && own.port === wanted)?.[0];
  const [httpHolder, grpcHolder] = [holderOf(port), holderOf(grpcPort)];
  const problem = (key: string, message: string): Problem => ({
    path: ['telemetry', key],
    message,
  });
  return [
    ...(httpHolder ? [problem('port', `${httpHolder} has port ${port}`)] : []),
    ...(grpcHolder ? [problem('grpcPort', `${grpcHolder} has port ${grpcPort}`)] : []),
    ...(port !== undefined && port === grpcPort
      ? [problem('grpcPort', `telemetry.port is ${port}, too`)]
      : []),
  ];
}

const branches = {
  postgres: ['template'],
  redis: ['database', 'prefix'],
} as const;

/** What is wrong with datastores, and with those who use them. */
function storeProblems({ services, suites, datastores }: ConfigDocument): Problem[] {
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
function queueProblems({ services, queues }: ConfigDocument): Problem[] {
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
