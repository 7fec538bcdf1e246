import { fault, isJsonObject, type Json, type JsonObject } from '../kernel/index.ts';
import { isLaneKey } from './lane-key.ts';

export type Scheme = 'http' | 'https';

/**
 * Where keyed requests go. The router is told the whole table each time, and knows nothing else.
 */
export interface Table {
  /** The service that gets requests from outside; empty when there is none. */
  readonly ingress: string;
  readonly services: Readonly<Record<string, ServiceRoute>>;
  /** By key. */
  readonly lanes: Readonly<Record<string, LaneRoutes>>;
}

export interface ServiceRoute {
  readonly port: number;
  readonly scheme?: Scheme;
}

export interface LaneRoutes {
  readonly lane: string;
  /** The candidates, by the service that they stand for. */
  readonly overrides: Readonly<Record<string, Override>>;
}

export interface Override {
  readonly port: number;
  readonly instance: string;
}

export const emptyTable: Table = { ingress: '', services: {}, lanes: {} };

/** Checks what was sent; a table with a mistake in it changes nothing. */
export function readTable(value: Json): Table {
  const { ingress, services, lanes } = objectWith(value, 'the table', tableFields);
  const table = {
    ingress: text(ingress, 'ingress', /^[^\s]{0,64}$/),
    services: recordOf(services, 'services', readService),
    lanes: recordOf(lanes, 'lanes', readLane),
  };
  checkNames(table);
  checkPorts(table);
  return table;
}

const tableFields = ['ingress', 'services', 'lanes'];

function readService(value: Json, path: string, name: string): ServiceRoute {
  text(name, `${path} (its name)`, /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/);
  const { port, scheme } = objectWith(value, path, ['port', 'scheme']);
  const route = { port: readPort(port, `${path}.port`) };
  if (scheme === undefined) return route;
  if (scheme !== 'http' && scheme !== 'https') {
    throw invalid(`${path}.scheme must be http or https`);
  }
  return { ...route, scheme };
}

function readLane(value: Json, path: string, key: string): LaneRoutes {
  if (!isLaneKey(key)) throw invalid(`${path} must have a key of 1 to 64 letters, digits, _ and -`);
  const { lane, overrides } = objectWith(value, path, ['lane', 'overrides']);
  return {
    lane: text(lane, `${path}.lane`, /^lane_[A-Za-z0-9_-]{1,64}$/),
    overrides: recordOf(overrides, `${path}.overrides`, readOverride),
  };
}

function readOverride(value: Json, path: string): Override {
  const { port, instance } = objectWith(value, path, ['port', 'instance']);
  return {
    port: readPort(port, `${path}.port`),
    instance: text(instance, `${path}.instance`, /^[\x21-\x7e]{1,256}$/),
  };
}

function checkNames({ ingress, services, lanes }: Table): void {
  const isKnown = (name: string): boolean => Object.hasOwn(services, name);
  if (ingress !== '' && !isKnown(ingress)) throw invalid(`ingress names no service: ${ingress}`);
  for (const [key, { overrides }] of Object.entries(lanes)) {
    const stranger = Object.keys(overrides).find((name) => !isKnown(name));
    if (stranger) throw invalid(`lanes.${key}.overrides names no service: ${stranger}`);
  }
}

/**
 * A port leads to one instance. A candidate on the port of a baseline would be the baseline; lanes
 * that stand on each other may share a candidate.
 */
function checkPorts({ services, lanes }: Table): void {
  const owners = new Map<number, string>();
  const claim = (port: number, owner: string): void => {
    const other = owners.get(port) ?? owner;
    if (other !== owner) throw invalid(`port ${port} belongs to both ${other} and ${owner}`);
    owners.set(port, owner);
  };
  for (const [name, { port }] of Object.entries(services)) claim(port, `service ${name}`);
  for (const { overrides } of Object.values(lanes)) {
    for (const [name, { port, instance }] of Object.entries(overrides)) {
      claim(port, `candidate ${instance} of ${name}`);
    }
  }
}

function recordOf<Value>(
  value: Json | undefined,
  path: string,
  read: (value: Json, path: string, name: string) => Value,
): Record<string, Value> {
  if (!isJsonObject(value)) throw invalid(`${path} must be an object`);
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, one]) => [name, read(one, `${path}.${name}`, name)]),
  );
}

function objectWith(
  value: Json,
  path: string,
  fields: readonly string[],
): Readonly<Record<string, Json | undefined>> {
  if (!isJsonObject(value)) throw invalid(`${path} must be an object`);
  // A misspelt override must not become "no override", which is the baseline.
  const stranger = Object.keys(value as JsonObject).find((name) => !fields.includes(name));
  if (stranger !== undefined) throw invalid(`${path} has a field that is not known: ${stranger}`);
  return value;
}

function text(value: Json | undefined, path: string, form: RegExp): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw invalid(`${path} must be a string like ${form.source}`);
}

function readPort(value: Json | undefined, path: string): number {
  if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535) {
    return value as number;
  }
  throw invalid(`${path} must be a port from 1 to 65535`);
}

export function invalid(reason: string): Error {
  return fault('ROUTER_REQUEST_INVALID', { reason });
}
