import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { fault } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { UpstreamSpec } from '../ports.ts';
import { EventStream, linesAsEvents } from './event-stream.ts';
import { exactResult, shallow } from './exact-json.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { Traffic } from './traffic.ts';

/** Handed down so that whoever looks for left-over processes finds those of an upstream, too. */
const handedDown = ['SURETY_MARK', 'SURETY_TEST_WORKSPACE'];

export interface TransportEvents {
  readonly traffic: Traffic;
  /** The server is somewhere else than surety.yaml says. */
  onRedirected(): void;
  /** The server has ended the stream of a request, and is asked for the rest of it. */
  onResumed(): void;
}

export interface UpstreamTransport extends Transport {
  kill(): void;
  /** Only over HTTP a server keeps a session. */
  terminateSession?(): Promise<void>;
}

/** A server of somebody else gets what it needs to run, and none of the daemon's secrets. */
export function createTransport(spec: UpstreamSpec, events: TransportEvents): UpstreamTransport {
  if ('url' in spec) return createHttpTransport(spec, events);
  const marks = handedDown.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { command, directory, environment: given } = spec;
  const environment = { ...getDefaultEnvironment(), ...Object.fromEntries(marks), ...given };
  return new StdioTransport({ command, directory, environment }, events.traffic);
}

/** A server may ask for its client back sooner or later than is good for either. */
const [resumeMsMin, resumeMsMax] = [100, 30_000];

function createHttpTransport(
  { url, headers }: Extract<UpstreamSpec, { url: string }>,
  events: TransportEvents,
): UpstreamTransport {
  /** By the id of the request that they answer. */
  const exactResults = new Map<string | number, ReturnType<typeof exactResult>>();
  const onText = (text: string): void => {
    const result = exactResult(text);
    const { id } = result ? (JSON.parse(text) as { id?: string | number }) : {};
    if (id !== undefined) exactResults.set(id, result);
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
    fetch: (address, init) => {
      const isResumed = new Headers(init?.headers).has('last-event-id');
      return boundedFetch(address, init, { ...events, onText }).then((response) => {
        if (isResumed && response.ok) events.onResumed();
        return response;
      });
    },
    reconnectionScheduler: (reconnect, delayMs) => {
      const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, resumeMsMin), resumeMsMax));
      return () => clearTimeout(timer);
    },
  });
  /** By the id of the request that is not answered yet. */
  const unanswered = new Map<unknown, AbortController>();
  // The SDK hands each message to this one first.
  transport.onmessage = (message) => {
    if ('method' in message || message.id === undefined) return;
    unanswered.delete(message.id);
    const result = exactResults.get(message.id);
    exactResults.delete(message.id);
    if (result && 'result' in message) message.result = result;
  };
  const sendNow: Transport['send'] = transport.send.bind(transport);
  const send: Transport['send'] = (message, options) => {
    if (!('method' in message)) return sendNow(message, options);
    // In older revisions the SDK only tells the server, and goes on reading the answer.
    if (message.method === 'notifications/cancelled') {
      unanswered.get(message.params?.requestId)?.abort();
      unanswered.delete(message.params?.requestId);
    }
    if (!('id' in message) || options?.requestSignal) return sendNow(message, options);
    const cancelled = new AbortController();
    unanswered.set(message.id, cancelled);
    return sendNow(message, { ...options, requestSignal: cancelled.signal }).catch((error) => {
      unanswered.delete(message.id);
      throw error;
    });
  };
  return Object.assign(transport, { send, kill: () => void transport.close() });
}

interface FetchEvents {
  readonly traffic?: Traffic;
  onRedirected?(): void;
  /** Every message, before anybody else reads it. */
  onText?(text: string): void;
}

/** Counted while it arrives: a server that never stops answering must not fill the memory. */
export async function boundedFetch(
  url: string | URL,
  init?: RequestInit,
  { traffic, onRedirected, onText }: FetchEvents = {},
): Promise<Response> {
  const response = await fetch(url, init);
  // The SDK follows by itself, and only to the same origin.
  if (response.status >= 300 && response.status < 400) onRedirected?.();
  if (!response.body) return response;
  const { status, statusText, ok } = response;
  const headers = new Headers(response.headers);
  const isStream = headers.get('content-type')?.startsWith('text/event-stream');
  // Whatever it is called, the answer to this one does not end.
  const isLines = ok && !isStream && new Headers(init?.headers).get('mcp-method') === listening;
  if (isLines) headers.set('content-type', 'text/event-stream');
  const events = isLines ? response.body.pipeThrough(linesAsEvents()) : response.body;
  const through =
    isStream || isLines
      ? new EventStream({ traffic, onText, isAnswer: init?.method === 'POST' })
      : wholeBody(traffic, onText);
  return new Response(events.pipeThrough(through), { status, statusText, headers });
}

const listening = 'subscriptions/listen';

type Chunk = Uint8Array<ArrayBuffer>;

function wholeBody(
  traffic: Traffic | undefined,
  onText: FetchEvents['onText'],
): TransformStream<Chunk, Chunk> {
  const limit = mcpLimits.upstreamMessageBytesMax;
  const chunks: Chunk[] = [];
  const hold = traffic?.holder();
  const release = (): void => hold?.(0);
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      hold?.(bytes + chunks.length * chunkBytes);
      if (bytes > limit) {
        release();
        const reason = `its answer is larger than ${limit} bytes`;
        controller.error(fault('TOOL_IN_DOUBT', { reason }));
      }
    },
    flush(controller) {
      release();
      traffic?.answered(bytes);
      const body = Buffer.concat(chunks);
      const text = onText && readQuietly(body.toString('utf8'), onText);
      controller.enqueue(
        text === undefined ? new Uint8Array(body) : new Uint8Array(Buffer.from(text)),
      );
    },
    cancel: release,
  });
}

/** What a chunk costs besides its bytes: it may have but one. */
const chunkBytes = 128;

/** The text for the SDK, if it is to read another; what is no JSON is its to refuse. */
function readQuietly(text: string, onText: (text: string) => void): string | undefined {
  try {
    const read = shallow(text) ?? '';
    onText(read);
    return read === text ? undefined : read;
  } catch {
    return undefined;
  }
}
