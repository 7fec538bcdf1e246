import { describe, expect, it } from 'vitest';
import { repairDesign } from './repair.ts';
import type { Repository } from './repository.ts';
import type { Answer, Toolbox } from './toolbox.ts';
import { work } from './work.ts';

const QUOTE = `import { CURRENCY } from './price-book.ts';
  amount: number;
  return { amount, currency: CURRENCY };
  const { tradeId, amount, currency } = quote;
  return { counterparty: request.counterparty, amount, currency };
`;

/** The patch is the new text of the files, so that a test can read it. */
const repository: Repository = {
  read: async (_, path) => (path.endsWith('quote.ts') ? QUOTE : '  amount: number;\n'),
  diff: async (_, after) => [...after.values()].join(''),
};

const good = (value: Answer['value']): Answer => ({ refused: false, value, text: 'good' });
const bad = (remedy: string, retryable = false): Answer => {
  const value = { code: 'X', message: 'No.', remedy, retryable };
  return { refused: true, value, text: `No. ${remedy}` };
};

const opened = good({ task: 'task_1', change: { base: 'abc' } });
const wire = { kind: 'wire', hop: 'pricing → validation POST /validations', part: 'request' };
const finding = { ...wire, field: 'amount', before: 'number', after: 'string' };
const failed = good({ verdict: 'fail', reason: 'one field changed', findings: [finding] });

/** Gives these answers in turn, and keeps what was asked. */
async function runWith(...answers: Answer[]) {
  const calls: [tool: string, given: Record<string, string>][] = [];
  const toolbox: Toolbox = {
    call: async (tool, given) => {
      calls.push([tool, given]);
      return answers[calls.length - 1] ?? bad('nothing more was planned');
    },
    close: async () => {},
  };
  const ending = await work(toolbox, repository, { step: () => {}, end: () => {} });
  return { ending, tools: calls.map(([tool]) => tool), calls };
}

describe('the agent', () => {
  it('continues with the tool that a remedy names', async () => {
    const { tools, ending } = await runWith(
      ...[opened, bad('First: submit_test.'), good({}), good({}), good({ verdict: 'pass' })],
      good({ commit: 'def' }),
    );
    const steps = ['propose_change', 'submit_test', 'propose_change', 'verify_change'];
    expect(tools).toEqual(['open_task', ...steps, 'promote_change']);
    expect(ending).toEqual({ reached: true, why: 'The change is promoted as def.' });
  });

  it('keeps the number and sends the text beside it once a finding says so', async () => {
    const { calls } = await runWith(opened, good({}), failed, good({}));
    const [first, second] = calls.filter(([tool]) => tool === 'propose_change');
    expect(first?.[1].patch).toContain('amount: displayAmount, currency };');
    expect(first?.[1].patch).toContain('  amount: string;');
    expect(second?.[1].patch).toContain('amount, displayAmount, currency };');
    expect(second?.[1].patch).toContain('  amount: number;');
  });

  it.each([
    ['a person has to look', [opened, bad('3 did not pass: a person has to look.')]],
    ['an operator has to allow it', [opened, bad('Ask an operator. Yours: submit_test.')]],
    ['a remedy names no tool', [opened, bad('Mend the patch.')]],
    ['no task can be opened', [bad('Start it: surety up', true)]],
    ['the same is refused again', [opened, bad('propose_change'), bad('propose_change')]],
    ['nothing was learnt', [opened, good({}), good({ verdict: 'inconclusive' })]],
    ['a finding means nothing to it', [opened, good({}), good({ verdict: 'fail', findings: [] })]],
    ['the repair fails, too', [opened, good({}), failed, good({}), failed]],
  ])('stops when %s', async (_, answers) => {
    const { ending, tools } = await runWith(...answers);
    expect(ending.reached).toBe(false);
    expect(tools).toHaveLength(answers.length);
  });

  it.each([
    ['verify', 'verify_change'],
    ['promote', 'promote_change'],
    ['red', 'submit_test'],
  ])('reads its phase after an interruption, and continues in phase %s', async (phase, next) => {
    const gone = bad('Start it: surety up', true);
    const { tools } = await runWith(opened, gone, good({ change: { phase } }));
    expect(tools).toEqual(['open_task', 'propose_change', 'get_task', next]);
  });

  it('finds its change promoted after an interruption', async () => {
    const { ending } = await runWith(
      opened,
      bad('again', true),
      good({ change: { phase: 'done' } }),
    );
    expect(ending.reached).toBe(true);
  });
});

it.each([
  ['another hop', { hop: 'orders → pricing POST /quotes' }],
  ['an answer', { part: 'response' }],
  ['another field', { field: 'currency' }],
  ['another change', { after: 'absent' }],
])('a finding about %s asks for no other design', (_, more) => {
  expect(repairDesign({ textField: 'amount' }, [{ ...finding, ...more }])).toBeUndefined();
});
