import type { Json } from '../../kernel/index.ts';
import { isLaneKey } from '../routing/lane-key.ts';
import { parseAddress } from './address.ts';
import { checkTable } from './check-table.ts';
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
  const { port, from, to } = readFields(value, path, ['port', 'from', 'to']);
  return {
    port: readPort(port, `${path}.port`),
    from: from === null ? null : readText(from, `${path}.from`, nameForm),
    to: readText(to, `${path}.to`, nameForm),
  };
}

function readLane(value: Json, path: string, key: string): LaneRoutes {
  if (!isLaneKey(key)) throw invalid(`${path} must have a key of 1 to 64 letters, digits, _ and -`);
  const { lane, overrides, ingress, expiresAt, trace } = readFields(value, path, laneFields);
  return {
    lane: readText(lane, `${path}.lane`, /^lane_[A-Za-z0-9_-]{1,64}$/),
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
