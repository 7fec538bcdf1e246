import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fault } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { UpstreamSpec } from '../ports.ts';

/** Handed down so that whoever looks for left-over processes finds those of an upstream, too. */
const handedDown = ['SURETY_MARK', 'SURETY_TEST_WORKSPACE'];

export interface TransportEvents {
  onErrorLine(line: string): void;
  /** The server is somewhere else than surety.yaml says. */
  onRedirected(): void;
}

/** A server of somebody else gets what it needs to run, and none of the daemon's secrets. */
export function createTransport(
  spec: UpstreamSpec,
  { onErrorLine, onRedirected }: TransportEvents,
): Transport {
  if ('url' in spec) {
    return new StreamableHTTPClientTransport(new URL(spec.url), {
      requestInit: { headers: { ...spec.headers } },
      fetch: (url, init) => boundedFetch(url, init, onRedirected),
    });
  }
  const [command = '', ...options] = spec.command;
  const marks = handedDown.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const transport = new StdioClientTransport({
    command,
    args: options,
    cwd: spec.directory,
    env: { ...getDefaultEnvironment(), ...Object.fromEntries(marks), ...spec.environment },
    stderr: 'pipe',
    maxBufferSize: mcpLimits.upstreamMessageBytesMax,
  });
  transport.stderr?.on('data', (chunk: Buffer) => onErrorLine(chunk.toString('utf8').trimEnd()));
  return transport;
}

/** Counted while it arrives: a server that never stops answering must not fill the memory. */
export async function boundedFetch(
  url: string | URL,
  init?: RequestInit,
  onRedirected?: () => void,
): Promise<Response> {
  const response = await fetch(url, init);
  // The SDK follows by itself, and only to the same origin.
  if (response.status >= 300 && response.status < 400) onRedirected?.();
  if (!response.body) return response;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const { status, statusText, headers } = response;
  const counted = response.body.pipeThrough(counting(isStream ? afterEvent : undefined));
  return new Response(counted, { status, statusText, headers });
}

type Chunk = Uint8Array<ArrayBuffer>;

/** `restAfter`: how much of a chunk belongs to a message that has not ended, if one ended. */
function counting(restAfter?: (text: string) => number | undefined): TransformStream<Chunk, Chunk> {
  let bytes = 0;
  let before = '';
  return new TransformStream({
    transform(chunk, controller) {
      const text = restAfter ? before + Buffer.from(chunk).toString('latin1') : '';
      before = text.slice(-3);
      bytes = restAfter?.(text) ?? bytes + chunk.byteLength;
      if (bytes <= mcpLimits.upstreamMessageBytesMax) controller.enqueue(chunk);
      else {
        const reason = `its answer is larger than ${mcpLimits.upstreamMessageBytesMax} bytes`;
        controller.error(fault('TOOL_IN_DOUBT', { reason }));
      }
    },
  });
}

/** A stream may go on for ever; each event in it ends with an empty line. */
function afterEvent(text: string): number | undefined {
  const ends = ['\n\n', '\r\r', '\r\n\r\n'].map(
    (end) => [text.lastIndexOf(end), end.length] as const,
  );
  const [at, length] = ends.reduce((last, end) => (end[0] > last[0] ? end : last));
  return at < 0 ? undefined : text.length - at - length;
}
