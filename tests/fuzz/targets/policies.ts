import { refundPolicy } from '../../../src/gate/language/policy.fixture.ts';
import { parsePolicy } from '../../../src/gate/language/sources/load.ts';
import { isFault } from '../../../src/kernel/index.ts';
import { type FuzzTarget, kindOf } from '../fuzzing.ts';
import { mutate } from '../mutate.ts';

const small = `version: 1
tools:
  t: {effect: read, arguments: {type: object, properties: {a: {type: string, pattern: "^a+$"}}}}
agents: {ada: {tools: [t], budgets: [{dimension: calls, limit: 9}]}}
`;
const words = [
  ...['version: 1\n', 'tools: ', 'agents: ', 'mode: observe\n', '&a ', '*a', '!!set', '<<: ', '? '],
  ...['{that: arguments.a == 1}', 'pattern: "(a+)+$"', '$ref: "#/a"', 'type: [string, integer]'],
  ...[
    'per: 1d',
    'limit: ',
    'extends: ',
    'include: [pack:payments]\n',
    '\t',
    '- ',
    '|\n  ',
    '---\n',
  ],
];

/** Policy documents, parsed and compiled. */
export function policiesTarget(): FuzzTarget {
  // Most inputs are small: a policy of a hundred lines takes a hundred times as long.
  const seeds = Array.from({ length: 30 }, () => small);
  return {
    seeds: [...seeds, refundPolicy].map((text) => Buffer.from(text)),
    make: (random, base, others) => mutate(random, base, { words, others }),
    execute(input) {
      try {
        return withoutStacks(() => outcomeOf(input));
      } catch {
        // Once more, with the stack of what is wrong.
        return outcomeOf(input);
      }
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function outcomeOf(input: Buffer): string {
  try {
    const { contracts } = parsePolicy(input.toString(), { path: 'policy.yaml' });
    return `${contracts.size} contracts`;
  } catch (error) {
    if (isFault(error, 'POLICY_INVALID')) return kindOf(String(error.values.mistakes));
    throw error;
  }
}

/** The parser makes an error for each mistake; their stacks took most of the time. */
function withoutStacks<Result>(work: () => Result): Result {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
