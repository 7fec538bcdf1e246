import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { type Log, toFault } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import type { AdmittedMessage, IntakeAdmission } from './admission.ts';
import { jsonAnswer, jsonStatus, protoAnswer, protoStatus, type Signal } from './answer.ts';
import type { IntakeResult, OtlpIntake } from './intake.ts';
import { MalformedMessage } from './proto/proto-reader.ts';
import { OtlpRefusal, retryMs, rpcCode } from './refusal.ts';
import { type Senders, senderHeader } from './senders.ts';
import { type Encoding, takeIn } from './signals.ts';

export interface ReceiverDeps {
  readonly intake: OtlpIntake;
  readonly admission: IntakeAdmission;
  readonly senders: Senders;
  readonly log: Log;
  /** How long one message may take to arrive, if not the usual time. */
  readonly messageMsMax?: number;
}

const contentTypes = { proto: 'application/x-protobuf', json: 'application/json' } as const;

/** OTLP/HTTP: one path for each signal. Every request is answered. */
export async function receiveHttp(
  signal: Signal,
  request: IncomingMessage,
  response: ServerResponse,
  deps: ReceiverDeps,
): Promise<void> {
  const encoding = encodingOf(request);
  try {
    const body = await admit(request, deps, async (entered) => {
      if (!encoding) throw unknownType(request);
      const taken = await take(signal, request, entered, { ...deps, encoding });
      return encoding === 'json' ? jsonAnswer(signal, taken) : protoAnswer(taken);
    });
    send(response, 200, encoding ?? 'json', body);
  } catch (error) {
    refuse(response, encoding ?? 'json', refusalOf(error, deps));
    // The rest of the body is read and dropped, so that the sender can read the answer.
    request.resume();
  }
}

async function take(
  signal: Signal,
  request: IncomingMessage,
  entered: AdmittedMessage,
  { intake, senders, encoding }: ReceiverDeps & { readonly encoding: Encoding },
): Promise<IntakeResult> {
  const unpack = unpackerFor(request);
  const packed = await collect(request, entered);
  entered.arrived();
  const header = request.headers[senderHeader];
  const credential = typeof header === 'string' ? header : undefined;
  const sender = senders.identify(credential, packed);
  if (senders.isStored(credential)) return { rejected: 0, reason: '' };
  const bytes = await unpack(packed, entered);
  const taken = takeIn(intake, signal, { encoding, bytes, sender });
  senders.noteStored(sender, credential);
  return taken;
}

async function admit<Value>(
  request: IncomingMessage,
  { intake, admission, messageMsMax = telemetryLimits.telemetryMessageMsMax }: ReceiverDeps,
  receive: (entered: AdmittedMessage) => Promise<Value>,
): Promise<Value> {
  if (request.method !== 'POST') throw new OtlpRefusal(405, 'OTLP is sent by POST');
  if (isForeign(request)) throw new OtlpRefusal(403, 'pages of other sites may not report here');
  if (admission.closedBecause !== null) throw new OtlpRefusal(503, admission.closedBecause);
  if (intake.isFull()) throw new OtlpRefusal(429, 'more is sent than can be stored');
  const { promise: displaced, reject } = Promise.withResolvers<never>();
  const entered = admission.enter(() => {
    entered?.leave();
    reject(new OtlpRefusal(408, 'the message was slow, and others needed its place'));
  });
  if (!entered) throw new OtlpRefusal(503, 'too many messages are being received at once');
  displaced.catch(() => undefined);
  try {
    return await inTime(Promise.race([receive(entered), displaced]), messageMsMax);
  } finally {
    entered.leave();
  }
}

/** A sender that sends a byte now and then would otherwise hold its place for ever. */
async function inTime<Value>(receiving: Promise<Value>, ms: number): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const refusal = new OtlpRefusal(408, 'the message did not come in time');
  const timer = setTimeout(() => reject(refusal), ms);
  try {
    return await Promise.race([receiving, late]);
  } finally {
    clearTimeout(timer);
    receiving.catch(() => undefined);
  }
}

/** Browsers send the origin of a page; pages from other machines are refused. */
function isForeign({ headers: { origin } }: IncomingMessage): boolean {
  if (origin === undefined) return false;
  return !/^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(origin);
}

function encodingOf({ headers }: IncomingMessage): Encoding | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const name = type.trim().toLowerCase();
  if (name === contentTypes.json) return 'json';
  return name === contentTypes.proto ? 'proto' : undefined;
}

function unknownType({ headers }: IncomingMessage): OtlpRefusal {
  const type = headers['content-type'] ?? 'none';
  const known = Object.values(contentTypes).join(' or ');
  return new OtlpRefusal(415, `content-type ${type.slice(0, 100)} is not known: use ${known}`);
}

function refusalOf(error: unknown, { intake, log }: ReceiverDeps): OtlpRefusal {
  const refusal = knownRefusal(error);
  intake.counts.add('messages refused');
  if (refusal) return refusal;
  log('error', 'otlp-mishap', { reason: toFault(error).message, stack: String(error) });
  return new OtlpRefusal(500, 'this went wrong here, and not at the sender');
}

export function knownRefusal(error: unknown): OtlpRefusal | undefined {
  if (error instanceof OtlpRefusal) return error;
  return error instanceof MalformedMessage ? new OtlpRefusal(400, error.message) : undefined;
}

function refuse(response: ServerResponse, encoding: Encoding, refusal: OtlpRefusal): void {
  if (refusal.isForNow) response.setHeader('retry-after', String(Math.ceil(retryMs / 1_000)));
  if (refusal.status === 405) response.setHeader('allow', 'POST');
  // A body that is too large or too slow is not read to its end.
  if (refusal.status === 413 || refusal.status === 408) response.setHeader('connection', 'close');
  const status = encoding === 'json' ? jsonStatus : protoStatus;
  send(response, refusal.status, encoding, status(rpcCode(refusal), refusal.message));
}

function send(response: ServerResponse, status: number, encoding: Encoding, body: Buffer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(status, {
    'content-type': contentTypes[encoding],
    'content-length': body.length,
  });
  response.end(body);
}

const unpackers = { gzip: promisify(gunzip), deflate: promisify(inflate) } as const;

type Unpack = (packed: Buffer, entered: AdmittedMessage) => Promise<Buffer>;

/** Decompresses the body of a message. The limit applies before and after decompression. */
function unpackerFor(request: IncomingMessage): Unpack {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity' && !Object.hasOwn(unpackers, encoding)) {
    throw new OtlpRefusal(
      415,
      `content-encoding ${encoding} is not known: use gzip, deflate or none`,
    );
  }
  if (encoding === 'identity') return async (packed) => packed;
  return (packed, entered) => unpack(packed, encoding as keyof typeof unpackers, entered);
}

async function collect(request: IncomingMessage, entered: AdmittedMessage): Promise<Buffer> {
  const most = telemetryLimits.telemetryMessageBytesMax;
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed at the end, so that the sender can still read the refusal.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > most) throw tooLarge();
    if (!entered.hold(chunk.length))
      throw new OtlpRefusal(503, 'too much is being received at once');
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

async function unpack(
  packed: Buffer,
  encoding: keyof typeof unpackers,
  entered: AdmittedMessage,
): Promise<Buffer> {
  if (packed.length === 0) return packed;
  try {
    const options = { maxOutputLength: telemetryLimits.telemetryMessageBytesMax };
    const bytes = await unpackers[encoding](packed, options);
    if (!entered.hold(bytes.length))
      throw new OtlpRefusal(503, 'too much is being received at once');
    return bytes;
  } catch (error) {
    if (error instanceof OtlpRefusal) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new OtlpRefusal(400, `it is not ${encoding}: ${(error as Error).message}`);
  }
}

function tooLarge(): OtlpRefusal {
  const most = telemetryLimits.telemetryMessageBytesMax;
  return new OtlpRefusal(
    413,
    `a message has at most ${most} bytes, unpacked: send smaller batches`,
  );
}
