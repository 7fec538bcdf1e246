import type { Client, OperationResponse } from '../../../http/index.ts';
import { fault } from '../../../kernel/index.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { neededOption } from '../../options/required-option.ts';
import { wholeNumber } from '../../options/whole-number.ts';
import { list } from './tasks.ts';

export type Join = OperationResponse<'GET /v1/joins/{join}'>;

/** Shorter than the client waits for an answer. */
const waitMs = 20_000;

export const joinTasks: RunCommand = async ({ place, output, words: [task = ''], options }) => {
  const client = connectDaemon(place);
  const input = { path: { task }, query: {}, body: readJoin(options) };
  const opened = await client.call('POST /v1/tasks/{task}/joins', input);
  const join = options.wait === false ? opened : await waitUntilSettled(opened, client, output);
  output.value(join);
  printJoin(join, output);
  return join.state === 'missed' ? exitCodes.bad : undefined;
};

async function waitUntilSettled(opened: Join, client: Client, output: Output): Promise<Join> {
  let join = opened;
  while (join.state === 'waiting') {
    output.progress(`waiting for ${join.join} …`);
    const input = { path: { join: join.join }, query: { waitMs } };
    join = await client.call('GET /v1/joins/{join}', input);
  }
  return join;
}

const modes: readonly Join['mode'][] = ['all', 'any', 'quorum', 'first-verified'];

function readJoin(options: Invocation['options']) {
  const { count, children, evidence, graded, seconds } = options;
  const mode = modes.find((one) => one === (options.mode ?? 'all'));
  if (!mode) throw wrong(`--mode takes ${modes.join(', ')}, not "${options.mode}"`);
  return {
    mode,
    ...(count === undefined ? {} : { count: wholeNumber('--count', count, 1) }),
    ...(children === undefined ? {} : { children: list(children) }),
    ...(evidence === undefined ? {} : { evidence: list(evidence) }),
    ...(graded === true ? { graded } : {}),
    ...(options.cancelRest === true ? { rest: 'cancel' as const } : {}),
    ...(seconds === undefined ? {} : { expiresInMs: 1_000 * wholeNumber('--seconds', seconds, 1) }),
  };
}

const tones = { met: 'good', missed: 'bad', waiting: 'warn' } as const;
const partTones = { counted: 'good', failed: 'bad', unproven: 'warn', open: 'warn' } as const;

export function printJoin(join: Join, output: Output, indent = ''): void {
  const { mode, needed, state, reason, children } = join;
  const wanted = mode === 'quorum' ? `quorum ${needed} of ${children.length}` : mode;
  const why = reason === '' ? '' : `: ${reason}`;
  output.line(`${indent}join ${wanted}  ${output.tone(tones[state], state)}${why}`);
  for (const { task, agent, state: part, missing } of children) {
    const lacks = missing.length > 0 ? `  (${missing.join(', ')})` : '';
    output.line(`${indent}    ${output.tone(partTones[part], part)}  ${task} by ${agent}${lacks}`);
  }
}

export const gradeTask: RunCommand = async ({
  place,
  output,
  words: [task = '', grade = ''],
  options,
}) => {
  if (grade !== 'accept' && grade !== 'refuse') {
    throw wrong(`a grade is accept or refuse, not "${grade}"`);
  }
  const reason = neededOption('task grade', '--reason', options.reason);
  const body = { accepted: grade === 'accept', reason };
  const client = connectDaemon(place);
  const graded = await client.call('POST /v1/tasks/{task}/grade', { path: { task }, body });
  output.value(graded);
  const text = graded.accepted ? output.tone('good', 'accepted') : output.tone('bad', 'refused');
  output.line(`${text}  ${task} by ${graded.author}`);
};

const wrong = (reason: string): Error =>
  fault('USAGE', { reason, help: 'surety task join --help' });
