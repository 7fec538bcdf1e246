import { findHeader } from '../inbound/headers.ts';

/** The HTTP status for each gRPC code, from 0 (OK) on. */
const statuses = [
  200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401,
];

/**
 * A failed gRPC call is answered with HTTP 200: its status comes in the trailers, or in the headers
 * if there is no body. Null if there is no status.
 */
export function grpcStatus(raw: readonly string[]): number | null {
  const text = findHeader(raw, 'grpc-status');
  if (text === undefined) return null;
  const code = Number(text);
  // Some services send an HTTP status as their code.
  return statuses[code] ?? (code >= 400 && code < 500 ? code : 500);
}
