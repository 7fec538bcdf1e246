import type { z } from 'zod';
import type { Role } from '../../kernel/index.ts';

interface OperationShape {
  readonly summary: string;
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly response: z.ZodType;
  /** A request that cannot be read is an attempt that the ledger keeps. */
  readonly recorded?: true;
  /** Answers with server-sent events, one `response` each. */
  readonly stream?: true;
}

/** Needs no token. */
interface OpenOperation extends OperationShape {
  readonly open: true;
  readonly roles?: never;
}

interface GuardedOperation extends OperationShape {
  readonly open?: never;
  /** Who may call it besides `admin`; whether the effect may happen, the gate decides. */
  readonly roles: readonly Role[];
}

/** One thing that the API does. */
export type Operation = OpenOperation | GuardedOperation;

/** Everybody who is a person: what changes nothing and shows nothing but facts. */
export const readers = [
  'viewer',
  'developer',
  'operator',
  'approver',
  'auditor',
] as const satisfies readonly Role[];
