import type { ServerResponse } from 'node:http';
import type { Fault } from '../../kernel/index.ts';
import type { HopProtocol } from '../record/hop.ts';
import { type Caller, refusalBody, refusalLines, type UpstreamResponse } from './caller.ts';

export class Http1Caller implements Caller {
  readonly protocol: HopProtocol;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse, protocol: HopProtocol = 'http1') {
    this.#response = response;
    this.protocol = protocol;
    // Whoever breaks off is seen where the response closes; unheard, this would end the process.
    response.on('error', ignore);
  }

  get connection(): string {
    const { remoteAddress = '', remotePort = 0 } = this.#response.socket ?? {};
    return `${remoteAddress}:${remotePort}`;
  }

  get status(): number {
    return this.#response.headersSent ? this.#response.statusCode : 0;
  }

  interim(status: number, lines: string[]): void {
    if (status === 100) this.#response.writeContinue();
    // Node writes no others but early hints, and those only in a form of its own.
    else if (status === 103) this.#response.writeEarlyHints({ link: linksIn(lines) });
  }

  begin({ status, statusMessage, lines }: UpstreamResponse): void {
    this.#response.sendDate = false;
    this.#response.writeHead(status, statusMessage, lines);
  }

  write(chunk: Buffer): boolean {
    return this.#response.write(chunk);
  }

  onDrain(resume: () => void): void {
    this.#response.once('drain', resume);
  }

  end(trailers: readonly string[]): void {
    if (trailers.length > 0) this.#response.addTrailers(pairs(trailers));
    this.#response.end();
  }

  abort(): void {
    this.#response.destroy();
  }

  refuse(reason: Fault, lines: readonly string[] = []): void {
    const response = this.#response;
    if (response.destroyed || response.headersSent) return;
    const all = ['content-type', 'application/json', ...refusalLines(reason), ...lines];
    response.writeHead(reason.definition.status, all);
    response.end(refusalBody(reason));
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }
}

function ignore(): void {}

function pairs(lines: readonly string[]): [string, string][] {
  const names = lines.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, lines[index * 2 + 1] as string]);
}

function linksIn(lines: readonly string[]): string[] {
  return pairs(lines)
    .filter(([name]) => name.toLowerCase() === 'link')
    .map(([, value]) => value);
}
