import type { Json } from '../../kernel/index.ts';
import { isLaneKey } from '../routing/lane-key.ts';
import { isLoopback, parseAddress } from './address.ts';
import type { Door, LaneRoutes, Override, RouteTable, ServiceRoute } from './table.ts';
import {
  invalid,
  optional,
  readChoice,
  readFields,
  readList,
  readPort,
  readRecord,
  readText,
  readWhole,
} from './table-forms.ts';

/** Checks what was sent; a table with a mistake in it changes nothing. */
export function readTable(value: Json): RouteTable {
  const { ingress, header, traceSecret, services, doors, lanes } = readFields(
    value,
    'the table',
    tableFields,
  );
  const table = {
    ingress: readText(ingress, 'ingress', /^[^\s]{0,64}$/),
    ...optional('header', header, (one) => readText(one, 'header', headerForm)),
    ...optional('traceSecret', traceSecret, (one) => readText(one, 'traceSecret', secretForm)),
    services: readRecord(services, 'services', readService),
    ...optional('doors', doors, (list) => readList(list, 'doors', readDoor)),
    lanes: readRecord(lanes, 'lanes', readLane),
  };
  checkTable(table);
  return table;
}

const tableFields = ['ingress', 'header', 'traceSecret', 'services', 'doors', 'lanes'];
const headerForm = /^[a-z0-9][a-z0-9-]{0,63}$/;
const secretForm = /^[0-9a-f]{64}$/;
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const keyForm = /^[A-Za-z0-9_-]{1,64}$/;
const laneForm = /^lane_[A-Za-z0-9_-]{1,64}$/;
const aliasForm = /^[^\s:]{1,253}:\*$/;

function readService(value: Json, path: string, name: string): ServiceRoute {
  readText(name, `${path} (its name)`, nameForm);
  const { port, host, scheme, protocol, aliases } = readFields(value, path, serviceFields);
  return {
    port: readPort(port, `${path}.port`),
    ...optional('host', host, (one) => readHost(one, `${path}.host`)),
    ...optional('scheme', scheme, (one) => readChoice(one, `${path}.scheme`, schemes)),
    ...optional('protocol', protocol, (one) => readChoice(one, `${path}.protocol`, protocols)),
    ...optional('aliases', aliases, (list) => readList(list, `${path}.aliases`, readAlias)),
  };
}

const serviceFields = ['port', 'host', 'scheme', 'protocol', 'aliases'];
const schemes = ['http', 'https'] as const;
const protocols = ['http', 'https', 'h2c', 'grpc'] as const;

function readHost(value: Json, path: string): string {
  const bracketed = String(value).includes(':') ? `[${value}]` : value;
  if (typeof value === 'string' && parseAddress(`${bracketed}:1`)) return value;
  throw invalid(`${path} must be the name or address of a machine`);
}

/** `host:port`, or `host:*` for all of its ports. */
function readAlias(value: Json, path: string): string {
  const isAlias = typeof value === 'string' && (aliasForm.test(value) || parseAddress(value));
  if (isAlias) return value;
  throw invalid(`${path} must be host:port or host:*`);
}

function readDoor(value: Json, path: string): Door {
  const { port, from, to, lane } = readFields(value, path, ['port', 'from', 'to', 'lane']);
  return {
    port: readPort(port, `${path}.port`),
    from: from === null ? null : readText(from, `${path}.from`, nameForm),
    to: readText(to, `${path}.to`, nameForm),
    ...optional('lane', lane, (one) => readText(one, `${path}.lane`, keyForm)),
  };
}

function readLane(value: Json, path: string, key: string): LaneRoutes {
  if (!isLaneKey(key)) throw invalid(`${path} must have a key of 1 to 64 letters, digits, _ and -`);
  const { lane, overrides, ingress, expiresAt, trace } = readFields(value, path, laneFields);
  return {
    lane: readText(lane, `${path}.lane`, laneForm),
    overrides: readRecord(overrides, `${path}.overrides`, readOverride),
    ...optional('ingress', ingress, (one) => readText(one, `${path}.ingress`, nameForm)),
    ...optional('expiresAt', expiresAt, (one) => readWhole(one, `${path}.expiresAt`, instants)),
    ...optional('trace', trace, (one) => readText(one, `${path}.trace`, /^[0-9a-f]{8}$/)),
  };
}

const laneFields = ['lane', 'overrides', 'ingress', 'expiresAt', 'trace'];
const instants = { min: 0, max: Number.MAX_SAFE_INTEGER, what: 'an instant' };

function readOverride(value: Json, path: string): Override {
  const { port, instance, protocol } = readFields(value, path, ['port', 'instance', 'protocol']);
  return {
    port: readPort(port, `${path}.port`),
    instance: readText(instance, `${path}.instance`, /^[\x21-\x7e]{1,256}$/),
    ...optional('protocol', protocol, (one) => readChoice(one, `${path}.protocol`, protocols)),
  };
}

/** What holds between the parts of a table, each of which may be right by itself. */
function checkTable(table: RouteTable): void {
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
