import { type Instant, isJsonObject, type Json } from '../../kernel/index.ts';
import type { RawRequest } from '../../lanes/index.ts';
import { verifyLimits } from '../limits.ts';
import type { RecordedScenario, RecordingRules, StoredRequest } from './api-schema.ts';
import { findCarried } from './carried-values.ts';
import { linesOf, redactRequest } from './redact-request.ts';
import { jsonOf, type ScenarioRequest } from './scenario.ts';

/** A client that is silent for so long is done. */
const idleMs = 10_000;
const openMax = 200;

interface Session {
  readonly requests: RawRequest[];
  readonly traces: Set<string>;
  lastAt: Instant;
  bytes: number;
}

/** Requests by client, until no more come. In memory they still contain secrets. */
export class RecordedSessions {
  readonly #open = new Map<string, Session>();
  readonly #byTrace = new Map<string, string>();
  #bytes = 0;

  /** Returns the sessions that this ends. */
  add(requests: readonly RawRequest[]): RawRequest[][] {
    return requests.toSorted((one, other) => one.at - other.at).flatMap((one) => this.#add(one));
  }

  /** Ends the sessions of silent clients; all if no time is given. */
  end(now: Instant = Number.POSITIVE_INFINITY): RawRequest[][] {
    const over = [...this.#open].filter(([, { lastAt }]) => now - lastAt >= idleMs);
    return over.map(([key]) => this.#end(key));
  }

  #add(request: RawRequest): RawRequest[][] {
    const trace = traceOf(request);
    const key = (trace && this.#byTrace.get(trace)) || request.client;
    const ended = [...(this.#isFull(key) ? [this.#end(key)] : []), ...this.#makeRoom(key, request)];
    const known = this.#open.get(key);
    const session = known ?? { requests: [], traces: new Set(), lastAt: 0, bytes: 0 };
    session.requests.push(request);
    session.lastAt = request.at;
    session.bytes += bytesOf(request);
    this.#bytes += bytesOf(request);
    this.#open.set(key, session);
    if (trace) {
      session.traces.add(trace);
      this.#byTrace.set(trace, key);
    }
    return ended;
  }

  #isFull(key: string): boolean {
    const { length } = this.#open.get(key)?.requests ?? [];
    return length >= verifyLimits.recordedScenarioRequestsMax;
  }

  /** Returns the sessions that this ends, the oldest first. */
  #makeRoom(key: string, request: RawRequest): RawRequest[][] {
    const ended: RawRequest[][] = [];
    for (const oldest of this.#open.keys()) {
      const isRoom = this.#open.has(key) || this.#open.size < openMax;
      if (isRoom && this.#bytes + bytesOf(request) <= verifyLimits.recordedOpenBytesMax) break;
      ended.push(this.#end(oldest));
    }
    return ended;
  }

  #end(key: string): RawRequest[] {
    const { requests = [], traces = [], bytes = 0 } = this.#open.get(key) ?? {};
    this.#open.delete(key);
    this.#bytes -= bytes;
    for (const trace of traces) this.#byTrace.delete(trace);
    return [...requests];
  }
}

function bytesOf({ path, headers, body, answer }: RawRequest): number {
  const texts = [path, ...headers, body ?? '', answer ?? ''];
  return texts.reduce((bytes, { length }) => bytes + length, 0);
}

function traceOf({ headers }: RawRequest): string | undefined {
  const parent = linesOf(headers).find(([name]) => name === 'traceparent')?.[1];
  return parent?.split('-')[1];
}

/** The stored form of a session; null if nothing is left of it. */
export function recordSession(
  session: readonly RawRequest[],
  id: string,
  rules: RecordingRules,
): RecordedScenario | null {
  const [first] = session;
  const kept = session.flatMap((raw) => {
    const redacted = isReplayable(raw) ? redactRequest(raw, rules) : null;
    return redacted ? [{ ...redacted, answer: jsonOf(raw) }] : [];
  });
  if (!first || kept.length === 0) return null;
  return { id, at: first.at, requests: withoutAnswers(kept) };
}

/** A plain request with an answer: no tunnel, no gRPC, no OPTIONS. */
function isReplayable({ method, status, headers }: RawRequest): boolean {
  const type = linesOf(headers).find(([name]) => name === 'content-type')?.[1] ?? '';
  const isKnown = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method);
  return isKnown && status >= 200 && !type.startsWith('application/grpc');
}

/** Answers contain private data; only values that a later request has are needed. */
function withoutAnswers(requests: readonly StoredRequest[]): StoredRequest[] {
  const carried = findCarried(requests.map(asScenario)).flat();
  return requests.map((request, number) => {
    const needed = carried.filter(({ from }) => from === number);
    const answer = needed.reduce<Json>((all, { place, value }) => put(all, place, value), null);
    return { ...request, answer };
  });
}

function put(json: Json, [name, ...rest]: readonly string[], value: string): Json {
  if (name === undefined) return value;
  const object = isJsonObject(json) ? json : {};
  return { ...object, [name]: put(object[name] ?? null, rest, value) };
}

/** Without credentials. */
export function asScenario(request: StoredRequest): ScenarioRequest {
  const { method, path, headers, body, status, answer } = request;
  return { method, path, headers, body: body === null ? null : Buffer.from(body), status, answer };
}
