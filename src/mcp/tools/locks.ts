import { z } from 'zod';
import {
  lockHoldSchema,
  lockRenewalSchema,
  lockRequestSchema,
  lockTicketSchema,
} from '../../gate/locks/api-schema.ts';
import type { OperationResponse } from '../../http/index.ts';
import { responses, type Tool, tool } from '../tool.ts';
import { formatList, type ToolAnswer } from '../tool-answer.ts';

type Answer = OperationResponse<'POST /v1/locks/acquire'>;

/** Shorter than clients wait for a tool. */
const waitMs = z.int().min(0).max(20_000).default(10_000).describe('How long to wait for it.');

/** Named locks and semaphores: one agent at a time on the same file, service or datastore. */
export const lockTools: Readonly<Record<string, Tool>> = {
  acquire_lock: tool({
    description:
      'Takes a named lock, so that no other agent works on the same thing. If others hold it, ' +
      'the answer has your position in the queue: call wait_for_lock. Show its fence with every ' +
      'call that it protects, and release it when you are done.',
    input: lockRequestSchema.extend({ waitMs }),
    output: responses('POST /v1/locks/acquire'),
    needs: ['lock.acquire'],
    run: async (client, { waitMs: wait, ...body }, options) => {
      const input = { query: { waitMs: wait }, body };
      return formatAnswer(await client.call('POST /v1/locks/acquire', input, options));
    },
  }),
  wait_for_lock: tool({
    description: 'Waits for a lock in whose queue you are. Repeat it while it says "waiting".',
    input: lockTicketSchema.extend({
      task: z.string().optional().describe('The task for which you asked for the lock.'),
      waitMs,
    }),
    output: responses('POST /v1/locks/wait'),
    needs: ['lock.acquire'],
    run: async (client, { waitMs: wait, ...body }, options) => {
      const input = { query: { waitMs: wait }, body };
      return formatAnswer(await client.call('POST /v1/locks/wait', input, options));
    },
  }),
  renew_lock: tool({
    description: 'Extends the lease of a lock that you hold. A lost one must be taken again.',
    input: lockRenewalSchema,
    output: responses('POST /v1/locks/renew'),
    needs: ['lock.renew'],
    run: async (client, body, options) => {
      const value = await client.call('POST /v1/locks/renew', { body }, options);
      return { value, text: `You hold ${value.lock} until ${formatInstant(value.expiresAt)}.` };
    },
  }),
  release_lock: tool({
    description: 'Gives a lock back. The next one in the queue gets it.',
    input: lockHoldSchema,
    output: responses('POST /v1/locks/release'),
    needs: ['lock.release'],
    run: async (client, body, options) => {
      const value = await client.call('POST /v1/locks/release', { body }, options);
      return { value, text: `Released ${value.lock}.` };
    },
  }),
  list_locks: tool({
    description: 'Lists the locks that somebody holds or waits for.',
    input: z.strictObject({}),
    searched: 'all named locks that are in use',
    output: responses('GET /v1/locks'),
    needs: ['lock.acquire', 'lock.release', 'lock.renew'],
    run: async (client, _, options) => {
      const { locks } = await client.call('GET /v1/locks', {}, options);
      const line = ({ lock, holders, queue }: (typeof locks)[number]) =>
        `- ${lock}: held by ${holders.map(({ owner }) => owner).join(', ')}; ${queue.length} wait`;
      const head = locks.length === 0 ? 'No lock is in use.' : 'In use:';
      return formatList({ name: 'locks', items: locks, line, head });
    },
  }),
};

function formatAnswer(value: Answer): ToolAnswer {
  const { lock, state, fence, expiresAt, position, heldBy, ticket } = value;
  if (state === 'held') {
    const until = formatInstant(expiresAt ?? 0);
    return { value, text: `You hold ${lock} with fence ${fence} until ${until}.` };
  }
  if (state === 'gone') return { value, text: `You do not wait for ${lock} any more.` };
  const next = `Next: wait_for_lock {"lock": "${lock}", "ticket": "${ticket}"}.`;
  const text = `${lock} is held by ${heldBy.join(', ')}. Your position in the queue: ${position}.`;
  return { value, text: `${text}\n${next}` };
}

const formatInstant = (instant: number): string => new Date(instant).toISOString();
