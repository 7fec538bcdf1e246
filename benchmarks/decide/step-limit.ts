import type { Expression, Values } from '../../src/gate/expression/index.ts';
import { atMost, type BenchResult, interleave, type Say } from '../bench.ts';
import { compile, endless, endlessValues, isThrough, largest, largestValues } from './hostile.ts';
import { type Timed, timed, timedRow } from './timed.ts';

const rounds = 5;

/** How long it takes until an expression is through or stopped, whatever it is given. */
export async function measureStepLimit(say: Say): Promise<BenchResult> {
  say('expressions that the step limit stops');
  const values = endlessValues();
  const contenders = [
    ...entries(endless).map(([name, each]) => enter(`stopped: ${name}`, each, values, false)),
    ...entries(largest).map(([name, each]) =>
      enter(`just within the limit: ${name}`, each, largestValues(each), true),
    ),
  ];
  const measured = await interleave(contenders, rounds, say);
  const slowest = Math.max(...contenders.map((each) => each.microseconds(0.99)));
  const what = `the slowest of ${contenders.length} hostile expressions, p99`;
  return {
    bars: [atMost('expression.stop', what, slowest / 1_000, 1, 'ms')],
    rows: contenders.map((each) => timedRow(each, measured.get(each.name) ?? [])),
  };
}

function entries(texts: Readonly<Record<string, string>>): [string, Expression][] {
  return Object.entries(texts).map(([name, text]) => [name, compile(text)]);
}

function enter(name: string, expression: Expression, values: Values, expected: boolean): Timed {
  if (isThrough(expression, values) !== expected) throw new Error(`It was not ${name}`);
  return timed(name, [expression], (each) => isThrough(each, values));
}
