import type { Client, OperationResponse } from '../../../http/index.ts';
import { fault } from '../../../kernel/index.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { wholeNumber } from '../../options/whole-number.ts';

type Answer = OperationResponse<'POST /v1/locks/acquire'>;

/** Shorter than the client waits for an answer. */
const waitMs = 20_000;

export const acquireLock: RunCommand = async ({ place, output, words: [lock = ''], options }) => {
  const client = connectDaemon(place);
  const body = { lock, ...readRequest(options) };
  const first = await client.call('POST /v1/locks/acquire', { query: {}, body });
  const answer = checkHeld(await waitUntilHeld(first, body.task, client, output));
  output.value(answer);
  const until = new Date(answer.expiresAt ?? 0).toISOString();
  output.line(
    `${output.tone('good', answer.state)}  ${lock}, fence ${answer.fence}, until ${until}`,
  );
};

async function waitUntilHeld(
  first: Answer,
  task: string | undefined,
  client: Client,
  output: Output,
): Promise<Answer> {
  let answer = first;
  while (answer.state === 'waiting') {
    const { lock, ticket, position, heldBy } = answer;
    output.progress(`position ${position} in the queue of ${lock}, held by ${heldBy.join(', ')} …`);
    const body = { lock, ticket: ticket ?? '', ...(task === undefined ? {} : { task }) };
    answer = await client.call('POST /v1/locks/wait', { query: { waitMs }, body });
  }
  if (answer.state === 'gone') throw fault('LOCK_LEFT', { lock: answer.lock });
  return answer;
}

/** Whoever lost its place must not go on as if it held the lock: `acquire … && ./migrate.sh`. */
export function checkHeld(answer: Answer): Answer {
  if (answer.state === 'held') return answer;
  throw fault('LOCK_WAIT_ENDED', { lock: answer.lock });
}

function readRequest({ slots, lease, priority, task, wait }: Invocation['options']) {
  return {
    ...(slots === undefined ? {} : { slots: wholeNumber('--slots', slots, 1) }),
    ...(priority === undefined ? {} : { priority: wholeNumber('--priority', priority, 0) }),
    ...(task === undefined ? {} : { task: String(task) }),
    ...(wait === false ? { queueMs: 0 } : {}),
    ...readLease(lease),
  };
}

function readLease(lease: string | boolean | undefined): { leaseMs?: number } {
  return lease === undefined ? {} : { leaseMs: 1_000 * wholeNumber('--lease', lease, 1) };
}

const readHold = ([lock = '', fence = '']: readonly string[]) => ({
  lock,
  fence: wholeNumber('<fence>', fence, 1),
});

export const releaseLock: RunCommand = async ({ place, output, words }) => {
  const body = readHold(words);
  output.value(await connectDaemon(place).call('POST /v1/locks/release', { body }));
  output.line(`${output.tone('good', 'released')}  ${body.lock}`);
};

export const renewLock: RunCommand = async ({ place, output, words, options }) => {
  const body = { ...readHold(words), ...readLease(options.lease) };
  const renewed = await connectDaemon(place).call('POST /v1/locks/renew', { body });
  output.value(renewed);
  const until = new Date(renewed.expiresAt).toISOString();
  output.line(`${output.tone('good', 'renewed')}  ${body.lock}, until ${until}`);
};

export const checkLock: RunCommand = async ({ place, output, words }) => {
  const body = readHold(words);
  const held = await connectDaemon(place).call('POST /v1/locks/check', { body });
  output.value(held);
  output.line(`${output.tone('good', 'current')}  ${held.lock}, held by ${held.owner}`);
};

export const listLocks: RunCommand = async ({ place, output }) => {
  const { locks } = await connectDaemon(place).call('GET /v1/locks', {});
  output.value({ locks });
  for (const { lock, slots, holders, queue } of locks) {
    output.line(`${output.tone('bold', lock)}  ${holders.length} of ${slots} slots held`);
    for (const { owner, fence, expiresAt } of holders) {
      output.line(`    ${owner}  fence ${fence}, until ${new Date(expiresAt).toISOString()}`);
    }
    for (const { position, owner } of queue) output.line(`    ${position}. ${owner}  waits`);
  }
  if (locks.length === 0) output.line('No lock is in use.');
};
