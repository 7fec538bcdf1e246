import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { encodeFrame, FrameReader } from './frames.ts';

export interface InspectorSocket {
  readonly localPort: number | undefined;
  send(json: string): void;
  onText(listener: (json: string) => void): void;
  onClose(listener: () => void): void;
  /** At once and without a farewell: V8 then ends a pause and forgets our breakpoints. */
  cut(): void;
}

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  // Sixteen bytes that prove to a server that the client speaks WebSocket. Any will do.
  'sec-websocket-key': Buffer.alloc(16, 'surety').toString('base64'),
};

/** Not Node's own WebSocket: it cannot be cut. */
export async function openSocket(url: URL, timeoutMs: number): Promise<InspectorSocket> {
  const { socket, head } = await connect(url, timeoutMs);
  const reader = new FrameReader();
  let listener: (json: string) => void = () => {};
  const receive = (chunk: Buffer): void => {
    for (const json of reader.read(chunk)) json === null ? socket.destroy() : listener(json);
  };
  socket.setNoDelay(true).on('error', () => socket.destroy());
  return {
    localPort: socket.localPort,
    send: (json) => void socket.write(encodeFrame(json)),
    onText(next) {
      listener = next;
      if (head.length > 0) receive(head);
      socket.on('data', receive);
    },
    onClose: (next) => void socket.on('close', next),
    cut: () => void socket.destroy(),
  };
}

function connect(url: URL, timeout: number): Promise<{ socket: Socket; head: Buffer }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; head: Buffer }>();
  const { hostname: host, port, pathname: path } = url;
  get({ host, port, path, timeout, headers: upgrade, agent: false })
    .on('upgrade', (_, socket, head) => {
      socket.setTimeout(0);
      resolve({ socket: socket as Socket, head });
    })
    .on('response', (response: IncomingMessage) => {
      response.destroy();
      reject(new Error(`it answered with status ${response.statusCode}`));
    })
    .on('timeout', () => reject(new Error(`it did not answer within ${timeout} ms`)))
    .on('error', reject);
  return promise;
}

/** Closed when it answers, so that it is not taken for a stranger's connection. */
export function getJson(url: URL, timeout: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const request = get(url, { agent: false, timeout, headers: { connection: 'close' } });
  request.on('timeout', () => request.destroy(new Error(`no answer within ${timeout} ms`)));
  request.on('error', reject);
  request.on('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('close', () => {
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      } catch (error) {
        reject(error);
      }
    });
  });
  return promise;
}
