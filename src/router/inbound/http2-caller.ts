import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Fault } from '../../kernel/index.ts';
import type { HopProtocol } from '../record/hop.ts';
import { type Caller, refusalBody, refusalLines, type UpstreamResponse } from './caller.ts';
import { asObject } from './headers.ts';

/** `UNAVAILABLE`: the call was not served, and may be made again. */
const grpcUnavailable = '14';

export class Http2Caller implements Caller {
  readonly protocol: HopProtocol;
  readonly #stream: ServerHttp2Stream;
  #trailers: readonly string[] = [];
  #status = 0;

  constructor(stream: ServerHttp2Stream, isGrpc: boolean) {
    this.#stream = stream;
    this.protocol = isGrpc ? 'grpc' : 'http2';
    // Whoever breaks off is seen where the stream closes; unheard, this would end the process.
    stream.on('error', () => {});
    stream.on('wantTrailers', () => stream.sendTrailers(asObject(this.#trailers)));
  }

  get connection(): string {
    const { remoteAddress = '', remotePort = 0 } = this.#stream.session?.socket ?? {};
    return `${remoteAddress}:${remotePort}`;
  }

  get status(): number {
    return this.#status;
  }

  interim(status: number, lines: string[]): void {
    if (!this.#stream.headersSent) {
      this.#stream.additionalHeaders({ ...asObject(lines), ':status': status });
    }
  }

  begin({ status, lines, isOver }: UpstreamResponse): void {
    if (this.#stream.destroyed) return;
    this.#status = status;
    const headers = { ...asObject(lines), ':status': status };
    // Some read the end of a call only from the frame that begins it.
    this.#stream.respond(headers, { endStream: isOver, waitForTrailers: !isOver });
  }

  write(chunk: Buffer): boolean {
    return this.#stream.writable ? this.#stream.write(chunk) : true;
  }

  onDrain(resume: () => void): void {
    this.#stream.once('drain', resume);
  }

  end(trailers: readonly string[]): void {
    this.#trailers = trailers;
    this.#stream.end();
  }

  abort(resetCode: number = constants.NGHTTP2_INTERNAL_ERROR): void {
    this.#stream.close(resetCode);
  }

  refuse(reason: Fault, lines: readonly string[] = []): void {
    if (this.#stream.destroyed || this.#stream.headersSent) return;
    if (this.protocol === 'grpc') this.#refuseCall(reason, lines);
    else this.#refuseRequest(reason, lines);
  }

  #refuseRequest(reason: Fault, lines: readonly string[]): void {
    this.#status = reason.definition.status;
    const reasonHeaders = asObject([...refusalLines(reason), ...lines]);
    const headers = { ...reasonHeaders, 'content-type': 'application/json' };
    this.#stream.respond({ ...headers, ':status': this.#status });
    this.#stream.end(refusalBody(reason));
  }

  /** The form that gRPC clients expect. */
  #refuseCall(reason: Fault, lines: readonly string[]): void {
    this.#status = 200;
    const headers = {
      ...asObject(lines),
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': grpcUnavailable,
      'grpc-message': encodeURIComponent(`${reason.code}: ${reason.message}`),
    };
    this.#stream.respond(headers, { endStream: true });
  }

  onClose(listener: () => void): void {
    this.#stream.once('close', listener);
  }
}
