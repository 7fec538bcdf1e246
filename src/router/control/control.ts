import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type Fault,
  fault,
  type Json,
  type Log,
  parseStrictJson,
  toFault,
} from '../../kernel/index.ts';
import { refusalBody } from '../inbound/caller.ts';
import { routerLimits } from '../limits.ts';
import type { Hop } from '../record/hop.ts';
import type { CapturedRequest } from '../record/recorded-traffic.ts';
import type { TakenRequest } from '../record/taken-traffic.ts';
import { isLaneKey } from '../routing/lane-key.ts';
import { readTable } from '../table/read-table.ts';
import type { RouteTable } from '../table/table.ts';
import { invalid } from '../table/table-forms.ts';
import type { RouterIdentity } from './client.ts';

/** The requests that the router accepts on its control socket. */
export interface RouterControls {
  identity(): RouterIdentity;
  table(): RouteTable;
  setTable(table: RouteTable): Promise<void>;
  hops(key: string, after: number): readonly Hop[];
  forget(key: string): void;
  take(key: string): void;
  taken(key: string): readonly TakenRequest[] | null;
  recorded(perMille: number): readonly CapturedRequest[];
}

type Operation = (call: ControlRequest, controls: RouterControls) => Promise<unknown> | unknown;

interface ControlRequest {
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
}

const operations: Readonly<Record<string, Operation>> = {
  'GET /': (_, controls) => controls.identity(),
  'GET /table': (_, controls) => controls.table(),
  'PUT /table': async ({ request }, controls) => {
    const table = readTable(await readJson(request));
    await controls.setTable(table);
    return { lanes: Object.keys(table.lanes).length };
  },
  'GET /hops': ({ query }, controls) => {
    const after = readAfter(query);
    const hops = controls.hops(readLane(query), after);
    return { hops, last: hops.at(-1)?.n ?? after };
  },
  'DELETE /hops': ({ query }, controls) => {
    controls.forget(readLane(query));
    return {};
  },
  'PUT /traffic': ({ query }, controls) => {
    controls.take(readLane(query));
    return {};
  },
  'GET /traffic': ({ query }, controls) => ({ requests: controls.taken(readLane(query)) }),
  'GET /recorded': ({ query }, controls) => ({ requests: controls.recorded(readPerMille(query)) }),
};

/** Serves everyone who may open the router's socket, which is its own user. */
export function createControl(controls: RouterControls, log: Log): Server {
  return createServer((request, response) => {
    answer(request, controls)
      .then((value) => send(response, value))
      .catch((error) => {
        const reason = toFault(error);
        log('warn', 'control-refused', { code: reason.code, reason: reason.message });
        refuse(response, reason);
      });
  });
}

async function answer(request: IncomingMessage, controls: RouterControls): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://router');
  const name = `${request.method} ${pathname}`;
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (!operation) throw invalid(`there is no ${name}`);
  return operation({ query: searchParams, request }, controls);
}

function send(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

async function readJson(request: IncomingMessage): Promise<Json> {
  const bytes = await readBytes(request, routerLimits.routerTableBytesMax);
  return parseStrictJson(bytes.toString('utf8'));
}

function readLane(query: URLSearchParams): string {
  const key = query.get('lane') ?? '';
  if (!isLaneKey(key)) throw invalid('lane must be a key of 1 to 64 letters, digits, _ and -');
  return key;
}

function readPerMille(query: URLSearchParams): number {
  const perMille = query.get('perMille') ?? '';
  if (!/^\d{1,4}$/.test(perMille) || Number(perMille) > 1_000) {
    throw invalid('perMille must be a number from 0 to 1000');
  }
  return Number(perMille);
}

function readAfter(query: URLSearchParams): number {
  const after = query.get('after') ?? '0';
  if (!/^\d{1,15}$/.test(after)) throw invalid('after must be the number of a hop');
  return Number(after);
}

/** Counted while it arrives: what the sender says about the length is the sender's word. */
async function readBytes(message: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed on the way out: the sender is still to hear why it was refused.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw fault('REQUEST_TOO_LARGE', { limit: bytesMax });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** An answer on the control socket that says no. */
function refuse(response: ServerResponse, reason: Fault): void {
  if (response.destroyed) return;
  response.writeHead(reason.definition.status, { 'content-type': 'application/json' });
  response.end(refusalBody(reason));
}
