import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, type JsonObject, sha256 } from '../kernel/index.ts';
import { type Entry, MemoryRows } from '../ledger/index.ts';
import { type DecisionInput, prepare } from './decision/index.ts';
import { judgeLoops } from './decision/judge-loops.ts';
import { makeDirectory, openTestGate, removeDirectory } from './gate.fixture.ts';
import { compilePolicy } from './language/index.ts';
import { gateLimits } from './limits.ts';
import { callHash, loops } from './loops.ts';

const anything = { type: 'object' };
const policy = compilePolicy({
  version: 1,
  tools: {
    a: { effect: 'mutating', arguments: anything },
    b: { effect: 'mutating', arguments: anything },
    look: { effect: 'read', arguments: anything },
  },
  agents: {
    ada: { tools: ['*'], limits: { sameProposal: 3, sameError: 2, cycle: 2 } },
  },
});

const hash = (name: string): string => name.padEnd(64, '0');

/** The agent's calls, as `tool:arguments:outcome:code`, a millisecond apart from 0 on. */
function rowsOf(...steps: string[]): MemoryRows {
  const rows = new MemoryRows();
  steps.forEach((step, at) => {
    const [tool = '', name = '', outcome = 'committed', code = '-'] = step.split(':');
    const isRead = policy.contracts.get(tool)?.effect === 'read';
    const row = isRead ? {} : { loops: 'loops/agent:ada' };
    const body = { proposal: `prop_${at}`, tool, code, ...row };
    const entry = { actor: 'agent:ada', seq: at, at } as unknown as Entry;
    const call = isRead ? {} : { call: hash(name).slice(0, 16) };
    loops.apply(rows, { ...entry, kind: 'proposal-granted', body: { ...body, ...call } });
    if (outcome !== 'committed') loops.apply(rows, { ...entry, kind: `proposal-${outcome}`, body });
  });
  return rows;
}

function findings(tool: string, name: string, rows: MemoryRows, now = 1_000) {
  const question: DecisionInput = {
    actor: 'agent:ada',
    tool,
    arguments: {},
    argumentsHash: hash(name),
    facts: {},
    task: undefined,
    key: undefined,
    reported: {},
    policy,
    contract: policy.contracts.get(tool) ?? null,
    agent: policy.agents.get('ada') ?? null,
    isNative: false,
    reads: {},
    readProblem: null,
  };
  return judgeLoops(question, prepare(question).assessed, rows, now);
}

// proves: gate.loops
describe('loop detection', () => {
  test.each<[string, string, string, string[], string[]]>([
    ['twice before', 'a', '1', ['a:1', 'a:1'], []],
    ['three times before', 'a', '1', ['a:1', 'a:1', 'a:1'], ['loop.proposal']],
    ['with something in between', 'a', '1', ['a:1', 'a:1', 'b:1', 'a:1'], []],
    [
      'with reads in between',
      'a',
      '1',
      ['a:1', 'look:1', 'a:1', 'look:2', 'a:1'],
      ['loop.proposal'],
    ],
    ['with other arguments', 'a', '2', ['a:1', 'a:1', 'a:1'], []],
    ['that only reads', 'look', '1', ['look:1', 'look:1', 'look:1', 'look:1'], []],
    ['that failed once', 'a', '3', ['a:1:failed:E1'], []],
    ['that failed twice', 'a', '3', ['a:1:failed:E1', 'b:1', 'a:2:failed:E1'], ['loop.error']],
    ['that failed differently', 'a', '3', ['a:1:failed:E1', 'a:2:failed:E2'], []],
    ['that succeeded since', 'a', '3', ['a:1:failed:E1', 'a:2:failed:E1', 'a:3'], []],
    ['in the second round', 'b', '1', ['a:1', 'b:1', 'a:1'], []],
    ['in the third round', 'b', '1', ['a:1', 'b:1', 'a:1', 'b:1', 'a:1'], ['loop.cycle']],
  ])('a call %s', (_, tool, name, steps, rules) => {
    expect(findings(tool, name, rowsOf(...steps)).map(({ rule }) => rule)).toEqual(rules);
  });

  // proves: kernel.limits
  test(`counts a call for ${gateLimits.loopMs} ms, and says so`, () => {
    const rows = rowsOf('a:1', 'a:1', 'a:1', 'a:1');
    // The second call is the one that has to be forgotten.
    const last = 1 + gateLimits.loopMs - 1;
    expect(findings('a', '1', rows, last)).toMatchObject([{ retryAt: last + 1 }]);
    expect(findings('a', '1', rows, last + 1)).toEqual([]);
  });

  test('keeps only the last 24 calls of entries that do not say how many', () => {
    const many = Array.from({ length: 29 }, () => 'a:1');
    expect(findings('a', '1', rowsOf(...many))[0]?.reason).toContain('24 times');
  });
});

// proves: kernel.limits
test.each([
  ['a call that was made 30 times', 1, { sameProposal: 30 }, 30, 'loop.proposal'],
  ['the end of the fourth round of 7 calls', 7, { cycle: 3 }, 27, 'loop.cycle'],
  [
    `the end of the fifth round of ${gateLimits.cycleLengthMax} calls`,
    gateLimits.cycleLengthMax,
    { cycle: 4 },
    39,
    'loop.cycle',
  ],
])('the gate denies %s', async (_, length, limits, allowed, rule) => {
  const numbered = { type: 'object', properties: { index: { type: 'integer' } } };
  const directory = makeDirectory();
  const gate = await openTestGate({
    directory,
    policy: {
      version: 1,
      tools: { a: { effect: 'mutating', arguments: numbered } },
      agents: { ada: { tools: ['*'], limits } },
    },
    tools: { a: async () => ({}) },
  });
  const call = (index: number) =>
    gate.propose({ actor: 'agent:ada', tool: 'a', arguments: { index: index % length } });
  for (let index = 0; index < allowed; index++) await call(index);
  await expect(call(allowed)).rejects.toMatchObject({ details: { rule } });
  expect((await gate.rebuild()).differences).toEqual([]);
  await gate.close();
  removeDirectory(directory);
});

describe('the identity of a call', () => {
  const schema = { properties: { size: { default: 3 }, text: { type: 'string' } } };
  const of = (given: JsonObject): string =>
    callHash(given, sha256(canonicalJson(given)), schema as JsonObject);

  test('ignores white space, Unicode form and defaults that are written out', () => {
    const same = of({ text: 'caf\u00e9 au lait' });
    expect(of({ size: 3, text: ' cafe\u0301  au\n\tlait ' })).toBe(same);
    expect(of({ size: 4, text: 'caf\u00e9 au lait' })).not.toBe(same);
    expect(of({ text: 'caf\u00e9aulait' })).not.toBe(same);
  });

  test('differs wherever anything else differs', () => {
    const words = fc.stringMatching(/^[a-z]{1,8}$/);
    const values = fc.dictionary(words, fc.oneof(words, fc.integer(), fc.array(words)));
    fc.assert(
      fc.property(values, values, (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        expect(of(one) === of(other)).toBe(isSame);
      }),
    );
  });
});
