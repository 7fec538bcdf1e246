import http from 'node:http';
import http2 from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import grpc from '@grpc/grpc-js';
import { Agent, Pool, fetch as undiciFetch, request as undiciRequest } from 'undici';
import { broker, subjectOf } from './broker.ts';
import type { Answer, Call, Destination } from './call.ts';
import type { Client } from './plan.ts';

type Send = (port: number, call: Call, more: More) => Promise<Answer>;

interface Around {
  readonly trace: string | undefined;
  /** How long it waits for an answer to a message. */
  readonly waitMs: number;
}

interface More extends Around {
  readonly to: string;
}

/** As applications do it: connections are few and shared by everything that a process sends. */
const send: Readonly<Record<Client, Send>> = {
  http: byHttp,
  fetch: async (port, call) => {
    const response = await fetch(`http://127.0.0.1:${port}/call`, post(call));
    await response.arrayBuffer();
    return { status: response.status };
  },
  undici: byPool,
  'undici-fetch': async (port, call) => {
    const response = await undiciFetch(`http://127.0.0.1:${port}/call`, {
      ...post(call),
      dispatcher: narrow,
    });
    await response.arrayBuffer();
    return { status: response.status };
  },
  http2: byHttp2,
  grpc: byGrpc,
  stranger: bySocket,
  nats: (_, call, more) => byMessage(call, more),
};

export function sendCall(
  { client, port, to }: Destination,
  call: Call,
  around: Around,
): Promise<Answer> {
  return send[client](port, call, { to, ...around });
}

const narrow = new Agent({ connections: 1 });
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const json = { 'content-type': 'application/json' };

function post(call: Call): { method: 'POST'; headers: Record<string, string>; body: string } {
  return { method: 'POST', headers: json, body: JSON.stringify(call) };
}

function byHttp(port: number, call: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/call',
      method: 'POST',
      headers: json,
      agent,
    };
    const request = http.request(options, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0 }));
    });
    request.on('error', reject);
    request.end(JSON.stringify(call));
  });
}

const pools = new Map<number, Pool>();

async function byPool(port: number, call: Call): Promise<Answer> {
  const pool = pools.get(port) ?? new Pool(`http://127.0.0.1:${port}`, { connections: 1 });
  pools.set(port, pool);
  const { statusCode, body } = await undiciRequest(`http://127.0.0.1:${port}/call`, {
    ...post(call),
    dispatcher: pool,
  });
  await body.dump();
  return { status: statusCode };
}

const sessions = new Map<number, http2.ClientHttp2Session>();

function byHttp2(port: number, call: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = sessionTo(port).request({ ':method': 'POST', ':path': '/call', ...json });
    let status = 0;
    stream.on('response', (headers) => {
      status = Number(headers[':status']);
    });
    stream.on('error', reject);
    stream.on('end', () => resolve({ status }));
    stream.resume();
    stream.end(JSON.stringify(call));
  });
}

function sessionTo(port: number): http2.ClientHttp2Session {
  const known = sessions.get(port);
  if (known && !known.closed && !known.destroyed) return known;
  const session = http2.connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  session.on('close', () => sessions.delete(port));
  sessions.set(port, session);
  return session;
}

async function byMessage(call: Call, { to, waitMs: timeout }: More): Promise<Answer> {
  const answer = await (await broker()).request(subjectOf(to), JSON.stringify(call), { timeout });
  return answer.json<Answer>();
}

const channels = new Map<number, grpc.Client>();

function byGrpc(port: number, call: Call): Promise<Answer> {
  const client =
    channels.get(port) ?? new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  channels.set(port, client);
  return new Promise((resolve, reject) => {
    const done = (error: grpc.ServiceError | null): void => {
      const isRefused = error?.code === grpc.status.UNAVAILABLE;
      if (error === null || isRefused) resolve({ status: isRefused ? 503 : 200 });
      else reject(error);
    };
    client.makeUnaryRequest('/isolation/call', encode, decode, call, done);
  });
}

const encode = (value: Call): Buffer => Buffer.from(JSON.stringify(value));
const decode = (bytes: Buffer): Answer => JSON.parse(bytes.toString('utf8')) as Answer;

/** Writes its requests by hand. Of what it was asked with, it hands on the trace alone. */
async function bySocket(port: number, call: Call, { trace }: More): Promise<Answer> {
  const body = JSON.stringify(call);
  const socket = connect(port, '127.0.0.1');
  const lines = [
    'POST /call HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(trace === undefined ? [] : [`traceparent: ${trace}`]),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const answer = await text(socket);
  return { status: Number(answer.split(' ')[1]) };
}
