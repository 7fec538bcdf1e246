import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Fault, JsonObject } from '../../kernel/index.ts';

/** A fault in the words of the protocol; what it says in fields is beside it. */
export function protocolErrorOf(refused: Fault): ProtocolError {
  const { message, remedy, definition } = refused;
  const { InvalidParams, InternalError } = ProtocolErrorCode;
  const code = definition.blame === 'caller' ? InvalidParams : InternalError;
  return new ProtocolError(code, `${message} ${remedy}`, refused.report() as JsonObject);
}

/** An answer to a call is 200, whatever it says; only what the client cannot do is its mistake. */
export function statusOf({ code }: ProtocolError): 200 | 400 {
  return code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
}
