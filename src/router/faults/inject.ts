import { toFault } from '../../kernel/index.ts';
import type { Exchange } from '../exchange.ts';
import type { InjectedFault } from './injected-fault.ts';

/** Injects the fault into the call; `send` forwards the call without it. */
export function inject(
  exchange: Exchange,
  fault: InjectedFault,
  send: (exchange: Exchange) => void,
): void {
  if (fault.delayMs === 0) {
    strike(exchange, fault, send);
    return;
  }
  const timer = setTimeout(() => strike(exchange, fault, send), fault.delayMs);
  exchange.onCancel(() => clearTimeout(timer));
}

function strike(
  exchange: Exchange,
  { status, text }: InjectedFault,
  send: (exchange: Exchange) => void,
): void {
  const { caller } = exchange;
  exchange.onCancel(() => undefined);
  if (status === null) goOn(exchange, send);
  else if (status === 0) caller.abort();
  else if (caller.protocol === 'grpc') caller.begin(grpcAnswer(text));
  else answer(exchange, status, text);
}

/** Sends the exchange on after a delay, where no caller is left to catch an error. */
function goOn(exchange: Exchange, send: (exchange: Exchange) => void): void {
  try {
    send(exchange);
  } catch (error) {
    exchange.refuse(toFault(error));
  }
}

function answer({ caller }: Exchange, status: number, text: string): void {
  const lines = ['content-type', 'application/json'];
  caller.begin({ status, statusMessage: '', lines, isOver: false });
  caller.write(Buffer.from(`${JSON.stringify({ error: `injected by surety: ${text}` })}\n`));
  caller.end([]);
}

/** `UNAVAILABLE`, which clients know from services that are away. */
function grpcAnswer(text: string) {
  const lines = [
    ...['content-type', 'application/grpc', 'grpc-status', '14'],
    ...['grpc-message', encodeURI(`injected by surety: ${text}`)],
  ];
  return { status: 200, statusMessage: '', lines, isOver: true };
}
