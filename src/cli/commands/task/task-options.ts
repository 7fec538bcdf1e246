import { fault } from '../../../kernel/index.ts';
import type { Invocation } from '../../command.ts';
import { wholeNumber } from '../../options/whole-number.ts';

const minuteMs = 60_000;

/** What flags say about a new task, as the API takes it. */
export function readWish(goal: string, options: Invocation['options']) {
  const { tools, resources, phases, budget, minutes, agent } = options;
  const expiresInMs = minuteMs * wholeNumber('--minutes', minutes, 0);
  return {
    goal,
    ...(agent ? { agent: `agent:${agent}` } : {}),
    ...(tools === undefined ? {} : { tools: list(tools) }),
    ...(resources === undefined ? {} : { resources: list(resources) }),
    ...(phases === undefined ? {} : { phases: list(phases) }),
    ...(budget === undefined ? {} : { budgets: readBudgets(list(budget)) }),
    ...(minutes === undefined ? {} : { expiresInMs }),
  };
}

function list(given: string | boolean): string[] {
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
