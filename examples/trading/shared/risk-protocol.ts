import type { MethodDefinition } from '@grpc/grpc-js';

export interface LimitQuestion {
  counterparty: string;
  amount: number;
}

export interface LimitAnswer {
  isWithin: boolean;
  limit: number;
}

const toBytes = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));
const fromBytes = (bytes: Buffer): never => JSON.parse(bytes.toString()) as never;

/** One method, known to both sides. Messages are JSON: gRPC leaves that to those who speak it. */
const checkLimit: MethodDefinition<LimitQuestion, LimitAnswer> = {
  path: '/trading.Risk/CheckLimit',
  requestStream: false,
  responseStream: false,
  requestSerialize: toBytes,
  requestDeserialize: fromBytes,
  responseSerialize: toBytes,
  responseDeserialize: fromBytes,
};

export const RISK = { checkLimit };
