import type { Benchmark } from '../bench.ts';
import { measureCallers } from './callers.ts';
import { measureEnding } from './ending.ts';
import { measureFootprint } from './footprint.ts';
import { measurePorts } from './ports.ts';
import { measurePreload } from './preload.ts';
import { measureReady } from './ready.ts';
import { measureRouter } from './router.ts';

export const benchmark: Benchmark = {
  title: 'time until a lane is ready, and what it costs',
  parts: {
    ready: measureReady,
    callers: measureCallers,
    footprint: measureFootprint,
    ending: measureEnding,
    preload: measurePreload,
    router: measureRouter,
    ports: measurePorts,
  },
};
