import type { JsonObject } from '../kernel/index.ts';

/** Tokens as the provider counts them. Tokens from a cache are part of the input. */
export interface TokenUsage {
  readonly input: number;
  readonly output: number;
}

/** What one part of an answer says about its usage. Later parts replace earlier ones. */
export type ReportedUsage = Partial<TokenUsage>;

export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;

export function objectOf(value: unknown): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : {};
}
