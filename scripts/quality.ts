import type { Step } from './steps.ts';

/** What can be said about the code without running it. */
export const qualitySteps: readonly Step[] = [
  { name: 'format and lint', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'types', command: ['tsc'] },
  { name: 'unused code', command: ['knip', '--cache', '--cache-location', '.cache/knip'] },
];
