import type { Benchmark } from '../bench.ts';
import { measureArguments } from './arguments.ts';
import { measureContracts } from './contract.ts';
import { measureStepLimit } from './step-limit.ts';

export const benchmark: Benchmark = {
  title: 'decisions by rules, compared with other policy engines',
  parts: {
    arguments: measureArguments,
    contracts: measureContracts,
    'step-limit': measureStepLimit,
  },
};
