import { setTimeout as delay } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { TakenFault } from './faults.ts';
import { Refusal } from './refusal.ts';

/** Does the work and answers with its result, going wrong on the way as was ordered. */
export async function underFault(
  context: Context<{ Bindings: HttpBindings }>,
  fault: TakenFault | undefined,
  status: 200 | 201,
  work: (isBooked: boolean) => Promise<object>,
): Promise<Response> {
  const mode = fault?.mode;
  if (mode === 'error-before-effect') throw broken('Nothing was done.');
  if (mode === 'slow') await pause(fault);
  const result = await work(mode !== 'stuck');
  if (mode === 'stuck') throw broken('The money moved, but it could not be booked.');
  if (mode === 'slow-answer') await pause(fault);
  if (mode !== 'crash-before-answer') return context.json(result, status);
  context.env.incoming.socket.destroy();
  return RESPONSE_ALREADY_SENT;
}

async function pause(fault: TakenFault | undefined): Promise<void> {
  const options = fault ? { signal: fault.isOver } : {};
  await delay(fault?.ms, undefined, options).catch(() => undefined);
}

function broken(message: string): Refusal {
  return new Refusal(500, 'internal_error', message);
}
