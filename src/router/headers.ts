import type { IncomingMessage } from 'node:http';

/** Between two neighbours only; each side of the router has its own. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Stay whatever a Connection header says: the length of the body, the key, and whom it is for. */
const kept = new Set(['content-length', 'host', 'baggage', 'tracestate']);

type HeaderLine = readonly [name: string, value: string];

/** For ClientRequest, which takes repeated headers as lists. */
export function requestHeaders(message: IncomingMessage): Record<string, string | string[]> {
  const headers = new Map<string, { name: string; values: string[] }>();
  for (const [name, value] of endToEnd(message)) {
    const known = headers.get(name.toLowerCase());
    if (known) known.values.push(value);
    else headers.set(name.toLowerCase(), { name, values: [value] });
  }
  const lines = [...headers.values()].map(({ name, values }) => [
    name,
    values.length === 1 ? values[0] : values,
  ]);
  // Without it a body of unknown length would be dropped where a method usually has none.
  const isChunked = message.headers['transfer-encoding'] !== undefined;
  return Object.fromEntries(isChunked ? [...lines, ['Transfer-Encoding', 'chunked']] : lines);
}

/** For ServerResponse, which takes them line by line. */
export function responseHeaders(message: IncomingMessage): string[] {
  return endToEnd(message).flat();
}

/** What is Surety's own ends here: the service gets the key, and its caller need not know. */
function endToEnd(message: IncomingMessage): HeaderLine[] {
  const dropped = new Set([...hopByHop, ...namedByConnection(message)]);
  return lines(message).filter(([name]) => {
    const lower = name.toLowerCase();
    return !dropped.has(lower) && !lower.startsWith('x-surety-');
  });
}

function namedByConnection({ headers }: IncomingMessage): string[] {
  const names = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => !kept.has(name));
}

function lines({ rawHeaders }: IncomingMessage): HeaderLine[] {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, rawHeaders[index * 2 + 1] as string]);
}
