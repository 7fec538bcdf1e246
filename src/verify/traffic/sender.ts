import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Json, sharedLimits } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import { readAnswer } from './answer-json.ts';
import type { ScenarioRequest } from './scenario.ts';

interface TimedAnswer {
  /** 0 without an answer. */
  readonly status: number;
  /** From the first byte sent to the last byte read. */
  readonly ms: number;
  readonly body: Json;
}

/** Sends the requests of scenarios to one lane over persistent connections. */
export class ScenarioSender {
  readonly #address: URL;
  readonly #lane: string;
  readonly #agent: Agent;

  constructor(address: string, lane: string, connections = 1) {
    this.#address = new URL(address);
    this.#lane = lane;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** `id` identifies its hops and log lines. */
  async send(request: ScenarioRequest, id: string): Promise<TimedAnswer> {
    const started = performance.now();
    try {
      const answer = await this.#exchange(request, id);
      const bytes = await bytesOf(answer);
      const ms = performance.now() - started;
      const body = readAnswer(bytes, answer.headers['content-encoding']);
      return { status: answer.statusCode ?? 0, ms, body };
    } catch {
      // Reset, refused or too slow: no answer is a result as well.
      return { status: 0, ms: performance.now() - started, body: null };
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange(
    { method, path, headers, body }: ScenarioRequest,
    id: string,
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { hostname, port } = this.#address;
    const call = httpRequest({
      hostname,
      port,
      method,
      path,
      headers: { ...headersOf(headers), ...this.#key(headers), 'x-request-id': id },
      agent: this.#agent,
      signal: AbortSignal.timeout(verifyLimits.replayMsMax),
    });
    call.on('response', resolve);
    call.on('error', reject);
    call.end(body ?? undefined);
    return promise;
  }

  #key(headers: ScenarioRequest['headers']): { baggage: string } {
    const others = headers.filter(([name]) => name === 'baggage').map(([, value]) => value);
    return { baggage: [...others, `surety-lane=${this.#lane}`].join(',') };
  }
}

function headersOf(headers: ScenarioRequest['headers']): Record<string, string[]> {
  const byName = Map.groupBy(headers, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, lines]) => [name, lines.map(([, value]) => value)]),
  );
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= sharedLimits.takenBodyBytesMax) chunks.push(chunk);
  }
  return Buffer.concat(bytes <= sharedLimits.takenBodyBytesMax ? chunks : []);
}
