import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import grpc from '@grpc/grpc-js';
import { broker, subjectOf } from './broker.ts';
import type { Call } from './call.ts';
import type { Speech } from './plan.ts';

/** Answers a call; what it wants `after` that runs when the answer is out. */
export type Serve = (inbound: Inbound) => Promise<number>;

export interface Inbound {
  readonly call: Call;
  readonly trace: string | undefined;
  after(work: () => void): void;
}

/** The same service in every protocol, each on a port of its own. */
export async function listen(service: string, serve: Serve): Promise<Record<Speech, number>> {
  await consume(subjectOf(service), serve);
  return {
    http: await portOf(http.createServer(handler(serve))),
    h2c: await portOf(http2.createServer(handler(serve))),
    grpc: await grpcPort(serve),
    // No port: it is found by its subject. The router knows it by one that nobody calls.
    nats: await portOf(http.createServer()),
  };
}

type Exchange = (
  request: http.IncomingMessage | http2.Http2ServerRequest,
  response: http.ServerResponse | http2.Http2ServerResponse,
) => Promise<void>;

function handler(serve: Serve): Exchange {
  return async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Call;
    const trace = request.headers.traceparent;
    const status = await serve({
      call,
      trace: typeof trace === 'string' ? trace : undefined,
      after: (work) => void response.once('finish', work),
    });
    response.statusCode = status;
    response.setHeader('content-type', 'application/json');
    (response as http.ServerResponse).end('{}');
  };
}

async function portOf(server: http.Server | http2.Http2Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const raw = {
  requestSerialize: (value: Buffer): Buffer => value,
  requestDeserialize: (value: Buffer): Buffer => value,
  responseSerialize: (value: Buffer): Buffer => value,
  responseDeserialize: (value: Buffer): Buffer => value,
};

function grpcPort(serve: Serve): Promise<number> {
  const server = new grpc.Server();
  const call = async (
    { request, metadata }: grpc.ServerUnaryCall<Buffer, Buffer>,
    answer: grpc.sendUnaryData<Buffer>,
  ): Promise<void> => {
    const [trace] = metadata.get('traceparent');
    const status = await serve({
      call: JSON.parse(request.toString('utf8')),
      trace: trace?.toString(),
      after: (work) => void setImmediate(work),
    });
    if (status === 200) return answer(null, Buffer.from('{}'));
    answer({ code: grpc.status.UNAVAILABLE, details: String(status) });
  };
  const definition = {
    path: '/isolation/call',
    requestStream: false,
    responseStream: false,
    ...raw,
  };
  server.addService({ call: definition }, { call });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  );
  return promise;
}

/** Besides all others who consume the same: as many as there are versions. */
async function consume(subject: string, serve: Serve): Promise<void> {
  const nats = await broker();
  nats.subscribe(subject, {
    callback: async (_, message) => {
      const status = await serve({
        call: message.json<Call>(),
        trace: message.headers?.get('traceparent') || undefined,
        after: (work) => void setImmediate(work),
      });
      message.respond(JSON.stringify({ status }));
    },
  });
  await nats.flush();
}
