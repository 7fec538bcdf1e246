import type { Benchmark } from '../bench.ts';
import { measureAuthorise } from './authorise.ts';
import { measureDurable } from './durable.ts';

export const benchmark: Benchmark = {
  title: 'proposals: authorised in memory, authorised and settled durably',
  async run(say) {
    const parts = [await measureAuthorise(say), await measureDurable(say)];
    return {
      bars: parts.flatMap(({ bars }) => bars),
      rows: parts.flatMap(({ rows }) => rows),
    };
  },
};
