import type { Instant, Json } from '../../kernel/index.ts';

/** One request from one service to another, as the router saw it. */
export interface Hop {
  /** Counts all hops of this router, so that a reader can go on after the last it has seen. */
  readonly n: number;
  /** Counts those of its lane: where a number is left out, one had to make room. */
  readonly nth: number;
  readonly at: Instant;
  /** The same with fractions of a millisecond, from the router's start: tells what came first. */
  readonly startedAt: number;
  readonly key: string;
  /** `x-request-id`; for people who search, never for decisions. */
  readonly requestId: string | null;
  /** Of `traceparent`, as it was passed on. */
  readonly traceId: string | null;
  /** The span in it: who passes headers on unchanged, also passes on that of its own request. */
  readonly spanId?: string;
  /** The service that called; null for a request from outside. */
  readonly from: string | null;
  /** The service that was called, or `host:port` of a third party. */
  readonly to: string;
  /** Where it was sent: the candidate's instance, `baseline` or `external`. */
  readonly instance: string;
  /** What the instance itself said that it is; null when it said nothing. */
  readonly served: string | null;
  /** Whether there was an answer from there at all, and not one of the router itself. */
  readonly answered: boolean;
  /** The caller had dropped the key, and the tag in the trace id identified the lane. */
  readonly recovered: boolean;
  /** It carried no key: the lane's own instance made it, for a request or by itself. */
  readonly own?: true;
  /** The call bypassed the router; the receiving service reported it by the tag in its trace id. */
  readonly escaped: boolean;
  readonly protocol: HopProtocol;
  readonly method: string;
  readonly path: string;
  /** What its request asked to go wrong on its way; left out where it asked for nothing. */
  readonly faults?: string;
  /** What of that happened here, as in `delay=800`. */
  readonly injected?: string;
  /** What the service answered in whole, where that was lost on the way. */
  readonly lostStatus?: number;
  /** 0 when the caller left before there was an answer. */
  readonly status: number;
  readonly durationMs: number;
  /** JSON or gRPC of at most `sharedLimits.hopBodyBytesMax`; null for any other body. */
  readonly requestBody: Json;
  readonly requestBytes: number;
  readonly responseBody: Json;
  readonly responseBytes: number;
  /** By which headers the answer was guarded; only of requests from outside. */
  readonly guards?: Readonly<Record<string, readonly string[]>>;
}

/** What the caller spoke; `message` for one that came by a queue. */
export type HopProtocol = 'http1' | 'http2' | 'grpc' | 'websocket' | 'message';
