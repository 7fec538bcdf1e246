import type { Benchmark } from '../bench.ts';
import { measureArguments } from './arguments.ts';
import { measureContracts } from './contract.ts';
import { measureStepLimit } from './step-limit.ts';

export const benchmark: Benchmark = {
  title: 'decisions by rules, compared with other policy engines',
  async run(say) {
    const parts = [
      await measureArguments(say),
      await measureContracts(say),
      await measureStepLimit(say),
    ];
    return {
      bars: parts.flatMap(({ bars }) => bars),
      rows: parts.flatMap(({ rows }) => rows),
    };
  },
};
