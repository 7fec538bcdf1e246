import {
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import { fault, toFault } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { protoAnswer, protoStatus, type Signal } from './answer.ts';
import { knownRefusal, type ReceiverDeps } from './http-receiver.ts';
import { OtlpRefusal, retryMs, rpcCode } from './refusal.ts';
import { senderHeader } from './senders.ts';
import { takeIn } from './signals.ts';

const services: Readonly<Record<Signal, string>> = {
  traces: 'opentelemetry.proto.collector.trace.v1.TraceService',
  metrics: 'opentelemetry.proto.collector.metrics.v1.MetricsService',
  logs: 'opentelemetry.proto.collector.logs.v1.LogsService',
};

export interface GrpcReceiver {
  readonly port: number;
  close(): Promise<void>;
}

/** Exporters report at least every minute, and reconnect if necessary. */
const idleMsMax = 300_000;

/** OTLP/gRPC on loopback: one unary Export for each signal. */
export async function listenGrpc(port: number, deps: ReceiverDeps): Promise<GrpcReceiver> {
  const server = new Server({
    'grpc.max_receive_message_length': telemetryLimits.telemetryGrpcBytesMax,
    'grpc.max_concurrent_streams': telemetryLimits.telemetryMessagesMax,
    'grpc.max_connection_idle_ms': idleMsMax,
    interceptors: [admitting(deps)],
  });
  for (const signal of Object.keys(services) as Signal[]) {
    server.addService(definitionOf(signal), { Export: exporter(signal, deps) });
  }
  const bound = await bind(server, port);
  return { port: bound, close: () => close(server) };
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(fault('TELEMETRY_PORT_TAKEN', { port, reason: error.message }, error));
      else resolve(bound);
    });
  });
}

/** Messages stay bytes here, because we parse them directly into rows. */
function definitionOf(signal: Signal): ServiceDefinition {
  const same = (bytes: Buffer): Buffer => bytes;
  return {
    Export: {
      path: `/${services[signal]}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: same,
      requestDeserialize: same,
      responseSerialize: same,
      responseDeserialize: same,
    },
  };
}

function exporter(signal: Signal, deps: ReceiverDeps) {
  return (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void => {
    const { request: bytes, metadata } = call;
    try {
      const [header] = metadata.get(senderHeader);
      const sender = deps.senders.identify(header === undefined ? header : String(header), bytes);
      answer(null, protoAnswer(takeIn(deps.intake, signal, { encoding: 'proto', bytes, sender })));
    } catch (error) {
      deps.intake.counts.add('messages refused');
      const refusal = knownRefusal(error);
      const { message } = refusal ?? { message: mishap(error, deps) };
      const code = refusal ? rpcCode(refusal) : status.INTERNAL;
      answer({ code, details: message });
    }
  };
}

function mishap(error: unknown, { log }: ReceiverDeps): string {
  log('error', 'otlp-mishap', { reason: toFault(error).message, stack: String(error) });
  return 'this went wrong here, and not at the sender';
}

/** Checks, before a message is read, that there is room for it and that it arrives in time. */
function admitting(deps: ReceiverDeps): ServerInterceptor {
  const { intake, admission, messageMsMax = telemetryLimits.telemetryMessageMsMax } = deps;
  return (_, call) => {
    let late: NodeJS.Timeout | undefined;
    let isOver = false;
    const slow = new OtlpRefusal(408, 'the message was slow, and others needed its place');
    const entered = admission.enter(() => end(slow));
    const end = (refusal?: OtlpRefusal): void => {
      clearTimeout(late);
      if (isOver) return;
      isOver = true;
      entered?.leave();
      if (!refusal) return;
      intake.counts.add('messages refused');
      call.sendStatus(laterStatus(refusal));
    };
    return new ServerInterceptingCall(call, {
      start: (next) => {
        next({
          onReceiveMetadata: (metadata, go) => {
            const refusal = whyNot(deps, entered !== null);
            if (refusal) return end(refusal);
            const tooLate = new OtlpRefusal(408, 'the message did not come in time');
            late = setTimeout(() => end(tooLate), messageMsMax).unref();
            go(metadata);
          },
          // It is answered once its sender has also closed the stream; until then its time limit
          // applies.
          onReceiveMessage: (message, go) => {
            entered?.arrived();
            if (!isOver) go(message);
          },
          onCancel: () => end(),
        });
      },
      sendStatus: (sent, next) => {
        end();
        next(sent);
      },
    });
  };
}

function whyNot(
  { intake, admission: { closedBecause } }: ReceiverDeps,
  hasEntered: boolean,
): OtlpRefusal | undefined {
  if (closedBecause !== null) return new OtlpRefusal(503, closedBecause);
  if (intake.isFull()) return new OtlpRefusal(503, 'more is sent than can be stored');
  return hasEntered
    ? undefined
    : new OtlpRefusal(503, 'too many messages are being received at once');
}

/** UNAVAILABLE with a RetryInfo, after which exporters send the same message again. */
function laterStatus({ status: httpStatus, message }: OtlpRefusal) {
  const code = httpStatus === 408 ? status.DEADLINE_EXCEEDED : status.UNAVAILABLE;
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', protoStatus(code, message, retryMs));
  return { code, details: message, metadata };
}

const closeMsMax = 300;

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    server.forceShutdown();
    resolve();
  }, closeMsMax);
  server.tryShutdown(() => resolve());
  await promise;
  clearTimeout(timer);
}
