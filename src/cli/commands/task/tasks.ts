import type { Client, OperationResponse } from '../../../http/index.ts';
import { fault, type Json, parseStrictJson, tryOr } from '../../../kernel/index.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { wholeNumber } from '../../options/whole-number.ts';

export const openTask: RunCommand = async ({ place, output, words: [goal = ''], options }) => {
  const body = { ...readWish(goal, options), ...(options.plain ? { change: false } : {}) };
  showTask(await connectDaemon(place).call('POST /v1/tasks', { body }), output);
};

export const splitTask: RunCommand = async ({
  place,
  output,
  words: [task = '', goal = ''],
  options,
}) => {
  const input = { path: { task }, body: readWish(goal, options) };
  showTask(await connectDaemon(place).call('POST /v1/tasks/{task}/split', input), output);
};

export const listTasks: RunCommand = async ({ place, output }) => {
  const client = connectDaemon(place);
  const tasks: Task[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const page: { tasks: readonly Task[]; next: string | null } = await client.call(
      'GET /v1/tasks',
      {
        query: { after },
      },
    );
    tasks.push(...page.tasks);
    after = page.next;
  }
  output.value({ tasks });
  for (const task of tasks) output.line(taskLine(task, output));
  if (tasks.length === 0) output.line('No task is open.');
};

export const showTaskTree: RunCommand = async ({ place, output, words: [id = ''] }) => {
  const client = connectDaemon(place);
  const task = await client.call('GET /v1/tasks/{task}', { path: { task: id } });
  const { below, isCut } = await readBelow(client, task);
  output.value({ ...task, below: below.map(({ task: part }) => part) });
  showDetails(task, output);
  for (const { task: part, depth } of below) {
    output.line(`${'    '.repeat(depth)}${taskLine(part, output)}`);
  }
  if (isCut) output.line(`    … and more: these are the first ${belowMax}.`);
};

const belowMax = 200;

type Part = { readonly task: Task; readonly depth: number };

/** The open tasks below, each after its parent. */
async function readBelow(client: Client, root: Task): Promise<{ below: Part[]; isCut: boolean }> {
  const below: Part[] = [];
  let isCut = false;
  const visit = async ({ task, children }: Task, depth: number): Promise<void> => {
    if (children === 0) return;
    const query = { parent: task, limit: belowMax };
    const { tasks, next } = await client.call('GET /v1/tasks', { query });
    isCut ||= next !== null;
    for (const child of tasks) {
      if (below.length === belowMax) {
        isCut = true;
        return;
      }
      below.push({ task: child, depth });
      await visit(child, depth + 1);
    }
  };
  await visit(root, 1);
  return { below, isCut };
}

export const moveTask: RunCommand = async ({ place, output, words: [task = '', phase = ''] }) => {
  const input = { path: { task }, body: { phase } };
  showTask(await connectDaemon(place).call('POST /v1/tasks/{task}/move', input), output);
};

export const renewTask: RunCommand = async ({ place, output, words: [task = ''] }) => {
  const input = { path: { task } };
  showTask(await connectDaemon(place).call('POST /v1/tasks/{task}/renew', input), output);
};

export const finishTask: RunCommand = async ({ place, output, words: [task = '', result] }) => {
  const body = { result: (result === undefined ? null : readResult(result)) as never };
  const client = connectDaemon(place);
  showTask(await client.call('POST /v1/tasks/{task}/finish', { path: { task }, body }), output);
};

/** JSON if it is valid, otherwise the text itself. */
function readResult(text: string): Json {
  return tryOr(() => parseStrictJson(text), text);
}

export const cancelTask: RunCommand = async ({ place, output, words: [task = ''], options }) => {
  const body = { reason: String(options.reason ?? 'by hand') };
  const client = connectDaemon(place);
  const answer = await client.call('POST /v1/tasks/{task}/cancel', { path: { task }, body });
  output.value(answer);
  const below = answer.cancelled - 1;
  output.line(`${output.tone('good', 'cancelled')}  ${task}, and ${below} child tasks`);
};

export type Task = OperationResponse<'GET /v1/tasks/{task}'>;

function showTask(task: Task, output: Output): void {
  output.value(task);
  showDetails(task, output);
}

export function showDetails(task: Task, output: Output): void {
  const { goal, tools, resources, phases, expiresAt, change } = task;
  const tell = (what: string, text: string): void => output.line(`    ${what.padEnd(9)} ${text}`);
  output.line(taskLine(task, output));
  if (goal !== null) tell('goal', goal);
  if (task.parent !== null) tell('parent', task.parent);
  if (phases.length > 0) tell('phases', phases.join(', '));
  if (tools !== null) tell('tools', tools.join(', ') || 'none');
  if (resources !== null) tell('resources', resources.join(', ') || 'none');
  if (task.lease !== null) tell('lease', formatLease(task.lease));
  if (task.replacedBy !== null) tell('replaced', `by ${task.replacedBy}`);
  if (expiresAt !== null) tell('until', new Date(expiresAt).toISOString());
  for (const [dimension, budget] of Object.entries(task.budgets)) {
    const { limit, spent, reserved, carved, free } = budget;
    const used = `${spent} spent, ${reserved} reserved, ${carved} split off`;
    tell(dimension, `${free} of ${limit} left (${used})`);
  }
  if (!change) return;
  tell('on', `version ${change.base.slice(0, 10)}`);
  if (change.test) tell('test', change.test);
  if (change.change) tell('change', `${change.change}, ${change.repairs} repairs`);
  for (const { id, verdict, reason } of change.attempts) tell(verdict, `${id}: ${reason}`);
  if (change.verdict) tell('verdict', change.verdict);
}

function formatLease({ leaseMs, onLost, isLost }: NonNullable<Task['lease']>): string {
  const lost = isLost ? '; its agent is gone' : '';
  return `${leaseMs / 1_000} s, then ${onLost}${lost}`;
}

/** One task on one line. */
export function taskLine({ task, status, agent, ...more }: Task, output: Output): string {
  const { phase, change, budgets } = more;
  const where = change?.phase ?? phase;
  const left = Object.entries(budgets).map(
    ([name, { free, limit }]) => `${name} ${free} of ${limit} left`,
  );
  const facts = [status, ...(where === null ? [] : [`phase ${where}`]), `by ${agent}`, ...left];
  return `${output.tone('bold', task)}  ${facts.join(', ')}`;
}

const minuteMs = 60_000;

/** The flags of a new task in the form of the API. */
function readWish(goal: string, options: Invocation['options']) {
  const { tools, resources, phases, budget, minutes, agent, lease, onLost } = options;
  const expiresInMs = minuteMs * wholeNumber('--minutes', minutes, 0);
  return {
    goal,
    ...(agent ? { agent: `agent:${agent}` } : {}),
    ...(tools === undefined ? {} : { tools: list(tools) }),
    ...(resources === undefined ? {} : { resources: list(resources) }),
    ...(phases === undefined ? {} : { phases: list(phases) }),
    ...(budget === undefined ? {} : { budgets: readBudgets(list(budget)) }),
    ...(minutes === undefined ? {} : { expiresInMs }),
    ...(lease === undefined ? {} : { leaseMs: 1_000 * wholeNumber('--lease', lease, 0) }),
    ...(onLost === undefined ? {} : { onLost: readLostRule(onLost) }),
  };
}

type LostRule = NonNullable<Task['lease']>['onLost'];
const lostRules: readonly LostRule[] = ['cancel', 'ask', 'replace'];

function readLostRule(given: string | boolean): LostRule {
  const rule = lostRules.find((one) => one === given);
  if (rule) return rule;
  throw wrong(`--on-lost takes ${lostRules.join(', ')}, not "${given}"`);
}

export function list(given: string | boolean): string[] {
  return String(given)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function readBudgets(words: readonly string[]): Record<string, number> {
  const budgets: Record<string, number> = {};
  for (const word of words) {
    const [, dimension = '', amount = ''] = /^([^=]+)=(\d+)$/.exec(word) ?? [];
    if (dimension === '' || !Number.isSafeInteger(Number(amount))) {
      throw wrong(`--budget takes name=amount with a whole amount, not "${word}"`);
    }
    if (Object.hasOwn(budgets, dimension)) throw wrong(`--budget names ${dimension} twice`);
    budgets[dimension] = Number(amount);
  }
  return budgets;
}

const wrong = (reason: string): Error =>
  fault('USAGE', { reason, help: 'surety task open --help' });
