import { type Json, type JsonObject, toFault } from '../kernel/index.ts';
import { Unreadable } from './read-body.ts';

/** An error of the protocol, with the fault in its data. */
export function protocolRefusal(error: unknown): Response {
  const refused = toFault(error instanceof Unreadable ? error.cause : error);
  const { status, code, id } =
    error instanceof Unreadable ? error : { ...nameless, status: refused.definition.status };
  const { message, remedy } = refused;
  const data = refused.report() as JsonObject;
  const body = { jsonrpc: '2.0', id, error: { code, message: `${message} ${remedy}`, data } };
  // A client that is slow or sends too much is disconnected.
  const headers: Record<string, string> =
    status === 408 || status === 413 ? { connection: 'close' } : {};
  return Response.json(body as Json, { status, headers });
}

const nameless = { code: -32600, id: null };
