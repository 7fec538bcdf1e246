import { isLoopback } from './address.ts';
import type { RouteTable, ServiceRoute } from './table.ts';
import { invalid } from './table-forms.ts';

/** What holds between the parts of a table, each of which may be right by itself. */
export function checkTable(table: RouteTable): void {
  checkNames(table);
  checkPorts(table);
  checkHeader(table);
  checkTraces(table);
  checkAliases(table);
}

function checkNames({ ingress, services, doors = [], lanes }: RouteTable): void {
  const isKnown = (name: string): boolean => Object.hasOwn(services, name);
  if (ingress !== '' && !isKnown(ingress)) throw invalid(`ingress names no service: ${ingress}`);
  for (const { port, from, to } of doors) {
    const stranger = [from ?? to, to].find((name) => !isKnown(name));
    if (stranger) throw invalid(`the door at port ${port} names no service: ${stranger}`);
  }
  for (const [key, { overrides, ingress: own }] of Object.entries(lanes)) {
    if (own !== undefined && !isKnown(own)) {
      throw invalid(`lanes.${key}.ingress names no service: ${own}`);
    }
    const stranger = Object.keys(overrides).find((name) => !isKnown(name));
    if (stranger) throw invalid(`lanes.${key}.overrides names no service: ${stranger}`);
  }
}

/**
 * A port leads to one instance. A candidate on the port of a baseline would be the baseline; lanes
 * that stand on each other may share a candidate.
 */
function checkPorts({ services, doors = [], lanes }: RouteTable): void {
  const owners = new Map<string | number, string>();
  const claim = (place: string | number, owner: string): void => {
    const other = owners.get(place) ?? owner;
    if (other !== owner) throw invalid(`port ${place} belongs to both ${other} and ${owner}`);
    owners.set(place, owner);
  };
  for (const [name, service] of Object.entries(services))
    claim(placeOf(service), `service ${name}`);
  for (const [index, { port }] of doors.entries()) claim(port, `door ${index}`);
  for (const { overrides } of Object.values(lanes)) {
    for (const [name, { port, instance }] of Object.entries(overrides)) {
      claim(port, `candidate ${instance} of ${name}`);
    }
  }
}

/** Ports of this machine are all one; those of another have nothing to do with them. */
function placeOf({ host, port }: ServiceRoute): string | number {
  return host === undefined || isLoopback(host) ? port : `${host}:${port}`;
}

const meaningful = /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect)$/;
const ours = /^(?:baggage|tracestate|traceparent|x-request-id|x-surety-.*)$/;

/** A header that means something already would turn ordinary requests into keyed ones. */
function checkHeader({ header = '' }: RouteTable): void {
  if (meaningful.test(header) || ours.test(header)) {
    throw invalid(`header can't be ${header}, which has a meaning of its own`);
  }
}

function checkAliases({ services }: RouteTable): void {
  const owners = new Map<string, string>();
  for (const [name, { aliases = [] }] of Object.entries(services)) {
    for (const alias of aliases.map((one) => one.toLowerCase())) {
      const other = owners.get(alias) ?? name;
      if (other !== name) throw invalid(`${alias} belongs to both ${other} and ${name}`);
      owners.set(alias, name);
    }
  }
}

/** A tag that stood for two lanes would bring requests back into the wrong one. */
function checkTraces({ lanes }: RouteTable): void {
  const keys = new Map<string, string>();
  for (const [key, { trace }] of Object.entries(lanes)) {
    if (trace === undefined) continue;
    const other = keys.get(trace);
    if (other) throw invalid(`trace ${trace} belongs to both ${other} and ${key}`);
    keys.set(trace, key);
  }
}
