import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fault, limits } from '../../kernel/index.ts';
import type { UpstreamSpec } from './ports.ts';

/** Handed down so that whoever looks for left-over processes finds those of an upstream, too. */
const handedDown = ['SURETY_MARK', 'SURETY_TEST_WORKSPACE'];

/** A server of somebody else gets what it needs to run, and none of the daemon's secrets. */
export function createTransport(
  spec: UpstreamSpec,
  onErrorLine: (line: string) => void,
): Transport {
  if ('url' in spec) {
    return new StreamableHTTPClientTransport(new URL(spec.url), {
      requestInit: { headers: { ...spec.headers } },
      fetch: boundedFetch,
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
    maxBufferSize: limits.upstreamMessageBytesMax,
  });
  transport.stderr?.on('data', (chunk: Buffer) => onErrorLine(chunk.toString('utf8').trimEnd()));
  return transport;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Counted while it arrives: a server that never stops answering must not fill the memory. */
export const boundedFetch: Fetch = async (url, init) => {
  const response = await fetch(url, init);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!response.body || isStream) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counting()), { status, statusText, headers });
};

function counting(): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= limits.upstreamMessageBytesMax) controller.enqueue(chunk);
      else {
        const reason = `its answer is larger than ${limits.upstreamMessageBytesMax} bytes`;
        controller.error(fault('TOOL_IN_DOUBT', { reason }));
      }
    },
  });
}
