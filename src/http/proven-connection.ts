import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type FaultReport, fault, faultFromReport, sha256, systemRandom } from '../kernel/index.ts';
import { isSameProof, proofOf, proofPath } from './proof.ts';

const answerBytesMax = 16 * 1024;
const answerMsMax = 10_000;

/**
 * Connections over TCP on which the other end has proven that it knows the token. Another user may
 * listen on the port of a daemon that has died.
 */
export class ProvenAgent extends Agent {
  readonly #token: string;

  constructor(token: string, options: AgentOptions) {
    super(options);
    this.#token = token;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const socket = connect({ host: host ?? '127.0.0.1', port: Number(port), noDelay: true });
    proven(socket, this.#token).then(
      () => done(null, socket),
      (error: Error) => {
        socket.destroy();
        done(error, socket);
      },
    );
  }
}

/** Resolves once the other end has proven itself; nothing else has been sent to it by then. */
async function proven(socket: Socket, token: string): Promise<void> {
  const nonce = Buffer.from(systemRandom(32)).toString('hex');
  const body = JSON.stringify({ tokenHash: sha256(token), nonce });
  const head = [
    `POST ${proofPath} HTTP/1.1`,
    'host: localhost',
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  const { status, text } = await readAnswer(socket);
  const { remoteAddress: address = '', remotePort: port = 0 } = socket;
  const answer = parse(text);
  // The daemon does not know the token. An impostor may say so too: it has got nothing.
  if (status === 401 && answer.fault) throw faultFromReport(answer.fault);
  const isProven = isSameProof(answer.proof ?? '', proofOf(token, nonce, { address, port }));
  if (!isProven) throw fault('DAEMON_UNPROVEN', { address: `${address}:${port}` });
}

function parse(text: string): { readonly proof?: string; readonly fault?: FaultReport } {
  try {
    const answer = JSON.parse(text);
    return typeof answer?.proof === 'string' || answer?.fault?.code ? answer : {};
  } catch {
    return {};
  }
}

/** Not by node:http, which keeps a socket that it has read from. */
function readAnswer(socket: Socket): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  let answer = '';
  const hear = (chunk: Buffer): void => {
    answer += chunk.toString('latin1');
    const whole = readWhole(answer);
    if (whole) resolve(whole);
    else if (answer.length > answerBytesMax) resolve({ status: 0, text: '' });
  };
  const hangUp = (): void => reject(Object.assign(new Error('hung up'), { code: 'ECONNRESET' }));
  const late = (): void => resolve({ status: 0, text: '' });
  socket.on('data', hear).on('error', reject).on('close', hangUp).setTimeout(answerMsMax, late);
  return promise.finally(() => {
    socket.off('data', hear).off('error', reject).off('close', hangUp).off('timeout', late);
    socket.setTimeout(0);
  });
}

function readWhole(answer: string): { status: number; text: string } | undefined {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = answer.slice(0, end).toLowerCase();
  const status = Number(/^http\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  const length = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
  const text = answer.slice(end + 4);
  return text.length < length ? undefined : { status, text: text.slice(0, length) };
}
