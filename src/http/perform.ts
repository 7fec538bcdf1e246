import type { z } from 'zod';
import { type Fault, fault, hasRole, type Identity, isFault, type Json } from '../kernel/index.ts';
import { type OperationKey, operations } from './contract.ts';
import type { Call, Handlers } from './handlers.ts';
import type { Operation } from './operations/operation.ts';

/** What a caller gave, before anything of it was checked. */
export interface Given {
  readonly path?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

export type OperationResult = Promise<Json> | AsyncIterable<Json>;

export interface PerformDeps {
  readonly handlers: Handlers;
  /** Keeps an attempt that could not even be read. */
  readonly onUnreadable: (identity: Identity, operation: string, error: unknown) => Promise<void>;
  readonly onForbidden: OnForbidden;
}

/** Keeps what somebody who is known tried to do and may not. */
export type OnForbidden = (identity: Identity, operation: string, refused: Fault) => Promise<void>;

/** What is forbidden to somebody, and is on the ledger for no other reason. */
const forbidden = ['ROLE_NEEDED', 'NOT_FOR_AGENTS', 'CHANGE_PROTECTED'] as const;

/** One operation for somebody who is known: their role, what they gave, then its handler. */
export type Perform = (
  key: OperationKey,
  call: Call,
  read: (operation: Operation) => Given | Promise<Given>,
) => Promise<{ readonly answer: OperationResult }>;

export function createPerform({ handlers, onUnreadable, onForbidden }: PerformDeps): Perform {
  const refuse = async (key: OperationKey, call: Call, error: unknown): Promise<never> => {
    if (forbidden.some((code) => isFault(error, code)))
      await onForbidden(call, key, error as Fault);
    throw error;
  };
  return async (key, call, read) => {
    const operation: Operation = operations[key];
    const missing = roleMissing(key, operation, call);
    if (missing) return refuse(key, call, missing);
    const request = await readRequest(key, operation, read).catch(async (error) => {
      if (operation.recorded) await onUnreadable(call, key, error);
      throw error;
    });
    const handler = handlers[key] as (request: object, call: Call) => OperationResult;
    const answer = handler(request, call);
    if (!(answer instanceof Promise)) return { answer };
    return { answer: answer.catch((error) => refuse(key, call, error)) };
  };
}

function roleMissing(
  key: string,
  { open, roles = [] }: Operation,
  identity: Identity,
): Fault | undefined {
  if (open || hasRole(identity.roles, roles)) return undefined;
  if (identity.actor.startsWith('agent:')) return fault('NOT_FOR_AGENTS', { operation: key });
  return fault('ROLE_NEEDED', {
    operation: key,
    roles: [...roles, 'admin'].join(', '),
    have: identity.roles.join(', '),
  });
}

async function readRequest(
  key: string,
  operation: Operation,
  read: (operation: Operation) => Given | Promise<Given>,
): Promise<object> {
  const given = await read(operation);
  const parts = (['path', 'query', 'body'] as const).flatMap((name) => {
    const schema = operation[name];
    return schema ? [[name, check(key, schema, given[name])]] : [];
  });
  return Object.fromEntries(parts);
}

function check(operation: string, schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const reason = error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');
  throw fault('REQUEST_INVALID', { operation, reason });
}
