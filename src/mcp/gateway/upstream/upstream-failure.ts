import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { type Fault, fault, isFault } from '../../../kernel/index.ts';

/** Codes of a connection that was never made: nobody received anything. */
const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT', 'EACCES']);

/** The server's own refusal, in the words of the protocol. */
export function isProtocolError(error: unknown): error is ProtocolError {
  return error instanceof ProtocolError;
}

/** Nobody there knows the session any more; without sessions it is only one request's answer. */
export function isSessionGone(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

/** Whether the way to the server is gone, rather than one request. */
export function isLineDead(error: unknown): boolean {
  if (error instanceof SdkHttpError) return (error.status ?? 0) >= 502;
  if (error instanceof SdkError) return error.code === SdkErrorCode.ConnectionClosed;
  return error instanceof TypeError || neverSent.has(causeCode(error));
}

/**
 * What a call that got no answer means. Without an effect only if it certainly never arrived, or
 * was refused at the door; everything else is in doubt.
 */
export function failureOf(tool: string, error: unknown): Fault {
  if (isFault(error)) return error;
  const reason = error instanceof Error ? error.message : String(error);
  if (isProtocolError(error)) {
    const code = `MCP_${error.code}`;
    return fault('TOOL_FAILED', { tool, reason }, error).with({ code });
  }
  if (reason === 'Not connected' || neverSent.has(causeCode(error))) {
    return fault('UPSTREAM_AWAY', { tool }, error);
  }
  if (error instanceof SdkHttpError && isRefusal(error.status ?? 0)) {
    return fault('TOOL_FAILED', { tool, reason }, error).with({ code: `HTTP_${error.status}` });
  }
  return fault('TOOL_IN_DOUBT', { reason: reason.slice(0, 300) }, error);
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function causeCode(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && code.startsWith('E')) return code;
  return cause ? causeCode(cause) : '';
}

/** Why a server is not connected, with the last line that it wrote to its error output. */
export class LastFailure {
  #line = '';
  reason: string | null = null;

  wrote(lines: string): void {
    this.#line = lines.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
  }

  because(error: unknown): string {
    const text = (error instanceof Error ? error.message : String(error)).slice(0, 300);
    const reason = this.#line === '' ? text : `${text}; it wrote: ${this.#line}`;
    this.reason = reason;
    this.#line = '';
    return reason;
  }
}
