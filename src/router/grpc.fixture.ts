import {
  Client,
  credentials,
  Metadata,
  type MetadataValue,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type ServiceError,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';

const bytes = (text: string): Buffer => Buffer.from(text);
const words = (buffer: Buffer): string => buffer.toString();

const method = (path: string, requestStream: boolean, responseStream: boolean) => ({
  path: `/prices.Prices/${path}`,
  requestStream,
  responseStream,
  requestSerialize: bytes,
  requestDeserialize: words,
  responseSerialize: bytes,
  responseDeserialize: words,
});

const service: ServiceDefinition = {
  unary: method('Unary', false, false),
  upload: method('Upload', true, false),
  download: method('Download', false, true),
  both: method('Both', true, true),
};

export interface Called {
  readonly said: string[];
  readonly metadata: Metadata;
  readonly trailers: Metadata;
}

type Call = (
  said: readonly string[],
  metadata: Record<string, MetadataValue>,
  deadlineMs?: number,
) => Promise<Called>;

/** For tests only: a gRPC service as a baseline and as a candidate, and a client for it. */
export class Calls implements AsyncDisposable {
  readonly cancelled: string[] = [];
  readonly #servers: Server[] = [];
  readonly #ports = new Map<string, number>();

  static async open(): Promise<Calls> {
    const calls = new Calls();
    for (const name of ['baseline', 'candidate']) await calls.#serve(name);
    return calls;
  }

  port(name: string): number {
    return this.#ports.get(name) as number;
  }

  client(port: number): Record<'unary' | 'upload' | 'download' | 'both', Call> & { close(): void } {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    const kinds = ['unary', 'upload', 'download', 'both'] as const;
    const made = kinds.map((kind) => [kind, callerOf(client, kind)]);
    return { ...Object.fromEntries(made), close: () => client.close() };
  }

  async #serve(name: string): Promise<void> {
    const server = new Server();
    server.addService(service, this.#implement(name));
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    this.#servers.push(server);
    this.#ports.set(name, port);
  }

  #implement(name: string): UntypedServiceImplementation {
    const after = new Metadata();
    after.set('x-after-bin', Buffer.from([1, 254]));
    const greet = (call: { metadata: Metadata; sendMetadata(metadata: Metadata): void }): void => {
      const echo = new Metadata();
      for (const raw of call.metadata.get('x-raw-bin')) echo.add('x-echo-bin', raw);
      call.sendMetadata(echo);
    };
    return {
      unary: (call: never, done: (...args: unknown[]) => void) => {
        const { request } = call as { request: string };
        if (request === 'fail') return done({ code: 9, details: 'not today, ä' });
        if (request === 'wait') {
          (call as NodeJS.EventEmitter).on('cancelled', () => this.cancelled.push(name));
          return;
        }
        greet(call);
        done(null, `${name} ${request}`, after);
      },
      upload: (call: never, done: (...args: unknown[]) => void) => {
        const got: string[] = [];
        greet(call);
        (call as NodeJS.EventEmitter).on('data', (piece: string) => got.push(piece));
        (call as NodeJS.EventEmitter).on('end', () => done(null, `${name} ${got}`, after));
      },
      download: (call: never) => {
        const stream = call as {
          request: string;
          write(it: string): void;
          end(it: Metadata): void;
        };
        greet(call);
        for (let n = 0; n < 2; n++) stream.write(`${name} ${stream.request}`);
        stream.end(after);
      },
      both: (call: never) => {
        const stream = call as NodeJS.EventEmitter & {
          write(it: string): void;
          end(it: Metadata): void;
        };
        greet(call);
        stream.on('data', (piece: string) => stream.write(`${name} ${piece}`));
        stream.on('end', () => stream.end(after));
      },
    } as unknown as UntypedServiceImplementation;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.forceShutdown();
  }
}

function callerOf(client: Client, kind: 'unary' | 'upload' | 'download' | 'both'): Call {
  const { path, requestStream, responseStream } = service[kind] as ReturnType<typeof method>;
  return (said, headers, deadlineMs) =>
    new Promise((resolve, reject) => {
      const metadata = new Metadata();
      for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
      const options = deadlineMs
        ? { deadline: new Date(performance.timeOrigin + performance.now() + deadlineMs) }
        : {};
      const got: string[] = [];
      let received = new Metadata();
      const done = (error: ServiceError | null, value?: string): void => {
        if (error) reject(error);
        else if (value !== undefined) got.push(value);
      };
      const first = said[0] as string;
      const call = requestStream
        ? responseStream
          ? client.makeBidiStreamRequest(path, bytes, words, metadata, options)
          : client.makeClientStreamRequest(path, bytes, words, metadata, options, done)
        : responseStream
          ? client.makeServerStreamRequest(path, bytes, words, first, metadata, options)
          : client.makeUnaryRequest(path, bytes, words, first, metadata, options, done);
      call.on('metadata', (it: Metadata) => {
        received = it;
      });
      if (responseStream) call.on('data', (piece: string) => got.push(piece));
      call.on('error', reject);
      call.on('status', ({ code, metadata: trailers }: { code: number; metadata: Metadata }) => {
        if (code === 0) setImmediate(() => resolve({ said: got, metadata: received, trailers }));
      });
      if (!requestStream) return;
      const writer = call as unknown as { write(it: string): void; end(): void };
      for (const piece of said) writer.write(piece);
      writer.end();
    });
}
