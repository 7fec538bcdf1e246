import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClock } from '../../kernel/index.ts';
import { CollectedRows } from '../rows.fixture.ts';
import { createTelemetryServer } from '../server.ts';
import {
  IntakeAdmission,
  KnownNames,
  LaneFinder,
  listenGrpc,
  OtlpIntake,
  Senders,
} from './index.ts';

export const senderSecret = 'ab'.repeat(32);

export interface Receivers {
  readonly port: number;
  readonly grpcPort: number;
  readonly kept: CollectedRows & { full: boolean };
  readonly intake: OtlpIntake;
  readonly admission: IntakeAdmission;
  close(): Promise<void>;
}

class Filling extends CollectedRows {
  full = false;

  override isFull(): boolean {
    return this.full;
  }
}

/** Both receivers on free ports, with everything that they take in memory. */
export async function startReceivers(messageMsMax?: number): Promise<Receivers> {
  const kept = new Filling();
  const names = new KnownNames();
  const lanes = new LaneFinder({ names, traceSecret: '' });
  const intake = new OtlpIntake({ clock: createClock(), sink: kept, names, lanes });
  const admission = new IntakeAdmission();
  const senders = new Senders(senderSecret);
  const usual = { intake, admission, senders, log: () => {} };
  const receiver = messageMsMax === undefined ? usual : { ...usual, messageMsMax };
  const server = createTelemetryServer({ receiver, metrics: () => 'up 1\n' });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const grpc = await listenGrpc(0, receiver);
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await Promise.all([new Promise((resolve) => server.close(resolve)), grpc.close()]);
  };
  const { port } = server.address() as AddressInfo;
  return { port, grpcPort: grpc.port, kept, intake, admission, close };
}

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Post {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export async function post(port: number, { path, method, headers, body }: Post): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = httpRequest(
    {
      host: '127.0.0.1',
      port,
      agent: false,
      method: method ?? 'POST',
      path: path ?? '/v1/traces',
      headers: { 'content-type': 'application/json', ...headers },
    },
    resolve,
  );
  request.on('error', reject);
  request.end(body);
  const answer = await promise;
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) };
}
