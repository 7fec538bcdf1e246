import type { Benchmark } from '../bench.ts';
import { measureConfinement } from './confinement.ts';

export const benchmark: Benchmark = {
  title: 'what trust costs',
  parts: { confinement: measureConfinement },
};
