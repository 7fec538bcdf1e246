import type { JsonObject } from '../kernel/index.ts';
import type { ReportedUsage } from './usage.ts';

/** A refusal in the words of a provider, so that its clients understand it. */
export interface ProviderRefusal {
  readonly status: number;
  readonly message: string;
  /** `budget`: it is used up. `rate`: it comes again. `request`: another one may be accepted. */
  readonly kind: 'budget' | 'rate' | 'permission' | 'identity' | 'request' | 'upstream';
}

/** What differs between providers: paths, headers, limits, usage and errors. */
export interface ModelApi {
  /** Paths whose answers are counted. */
  readonly counted: readonly string[];
  /** Paths that are passed on without a count: they make no tokens. */
  readonly free: readonly string[];
  /** The headers that carry the owner's key. */
  keyHeaders(key: string): Record<string, string>;
  /** Request headers that are passed on. */
  readonly headers: readonly string[];
  /** The most tokens that an answer can have; undefined if the request does not say. */
  outputLimit(body: JsonObject): number | undefined;
  /** The request as it is sent, with usage asked for. */
  prepare(
    path: string,
    body: JsonObject,
  ): { readonly body: JsonObject; readonly hidesUsage: boolean };
  /** What an answer, or one event of a stream, says. Undefined if it says nothing about usage. */
  usageOf(answer: JsonObject): ReportedUsage | undefined;
  /** Whether an event is only there because `prepare` asked for usage. */
  isUsageOnly(event: JsonObject): boolean;
  refusal(refused: ProviderRefusal): JsonObject;
}
