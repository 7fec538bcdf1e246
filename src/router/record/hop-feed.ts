import { existsSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import {
  checkSocketPlace,
  type Json,
  redactText,
  shapeText,
  socketPlace,
  tryOr,
} from '../../kernel/index.ts';
import { routerLimits } from '../limits.ts';
import { traceIdOf } from '../routing/trace-tag.ts';
import type { HopDraft } from './hops.ts';

const tellEveryMs = 250;
const lookEveryMs = 1_000;
const answerMsMax = 2_000;
/** Made between two requests at a time, so that none has to wait for more than these. */
const sliceHops = 20;

/** The fixed cost of one shape, in bytes, so that many small bodies count as well. */
const shapeOverheadBytes = 256;

/**
 * Tells telemetry of every hop, later and without waiting for it. Where there is no telemetry, or
 * it is slow or away, hops are counted and forgotten; no request is ever held up by it.
 */
export class HopFeed {
  readonly #directory: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #waiting: HopDraft[] = [];
  #lost = 0;
  /** The socket of telemetry, if there is one. */
  #receiver: string | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> | undefined;
  #shapeBytes = 0;
  #shapesSince = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Costs every request: nothing is worked out here. */
  add(draft: HopDraft): void {
    if (!this.#findReceiver()) return;
    if (this.#waiting.length >= routerLimits.reportedHopsQueuedMax) this.#lost++;
    else this.#waiting.push(draft);
    this.#timer ??= setTimeout(() => this.#tell(), tellEveryMs).unref();
  }

  /** Tells what there is left, if that is quick. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#telling;
    if (this.#waiting.length > 0) await this.#tellBatch();
    this.#agent.destroy();
  }

  #findReceiver(): string | undefined {
    const now = performance.now();
    if (now - this.#lookedAt > lookEveryMs) {
      this.#lookedAt = now;
      this.#receiver = readReceiver(this.#directory);
    }
    return this.#receiver;
  }

  #tell(): void {
    this.#telling ??= this.#tellBatch().finally(() => {
      this.#telling = undefined;
      this.#timer = undefined;
      if (this.#waiting.length > 0)
        this.#timer = setTimeout(() => this.#tell(), tellEveryMs).unref();
    });
  }

  async #tellBatch(): Promise<void> {
    const receiver = this.#findReceiver();
    const drafts = this.#waiting.splice(0, routerLimits.reportedHopsBatchMax);
    const lost = this.#lost;
    this.#lost = 0;
    if (!receiver) return;
    const hops = await this.#workOut(drafts);
    const isTold = await post(receiver, JSON.stringify({ hops, lostHops: lost }), this.#agent);
    if (!isTold) this.#lost += lost + drafts.length;
  }

  async #workOut(drafts: readonly HopDraft[]): Promise<ToldHop[]> {
    const hops: ToldHop[] = [];
    for (const draft of drafts) {
      hops.push(toldHop(draft, this.#mayShape(draft)));
      if (hops.length % sliceHops === 0) await turn();
    }
    return hops;
  }

  /** Shapes repeat: under load those of some requests tell as much as those of all. */
  #mayShape({ request: asked, response }: HopDraft): boolean {
    const now = performance.now();
    if (now - this.#shapesSince > 1_000) {
      this.#shapesSince = now;
      this.#shapeBytes = 0;
    }
    if (this.#shapeBytes > routerLimits.reportedShapeBytesMax) return false;
    this.#shapeBytes += shapeOverheadBytes + asked.kept + response.kept;
    return true;
  }
}

function readReceiver(directory: string): string | undefined {
  return tryOr(() => {
    const place = socketPlace(directory, 'telemetry');
    checkSocketPlace(place);
    return existsSync(place.path) ? place.path : undefined;
  }, undefined);
}

function post(socketPath: string, body: string, agent: Agent): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  const to = { socketPath, method: 'POST', path: '/control/record', headers, agent };
  const call = request({ ...to, timeout: answerMsMax }, (answer) => {
    answer.resume();
    answer.on('close', () => resolve(answer.statusCode === 200));
  });
  call.on('timeout', () => call.destroy());
  call.on('error', () => resolve(false));
  call.end(body);
  return promise;
}

/** A hop as telemetry keeps it: only the shapes of the bodies. Nanoseconds are digits. */
type ToldHop = Readonly<Record<string, string | number | boolean>>;

function toldHop(draft: HopDraft, withShapes: boolean): ToldHop {
  const { request, response } = draft;
  const shape = (body: { json(): Json }): string => {
    const json = withShapes ? body.json() : null;
    return json === null ? '' : shapeText(json);
  };
  return {
    atNs: `${draft.at}000000`,
    lane: draft.key,
    traceId: traceIdOf(draft.traceparent) ?? '',
    requestId: draft.requestId ?? '',
    caller: draft.from ?? '',
    callee: draft.to,
    instance: draft.instance,
    served: draft.served ?? '',
    protocol: draft.protocol,
    method: draft.method,
    path: plainPath(draft.path),
    status: draft.status,
    durationNs: String(Math.max(0, Math.round(draft.durationMs * 1e6))),
    isAnswered: draft.answered,
    isRecovered: draft.recovered,
    isEscaped: draft.escaped,
    requestBytes: request.bytes,
    responseBytes: response.bytes,
    requestShape: shape(request),
    responseShape: shape(response),
  };
}

const pathCharsMax = 500;

/** Without what was asked for: a query may say more about a person than a body. */
function plainPath(path: string): string {
  const end = path.indexOf('?');
  return redactText((end < 0 ? path : path.slice(0, end)).slice(0, pathCharsMax));
}
