import { qualitySteps } from './quality.ts';
import { runSteps, say } from './steps.ts';

/**
 * The inner loop: `npm run check`. Two at a time, as many as the smallest machine has cores; the
 * tests take longest, so they start first.
 */
const results = await runSteps(
  [{ name: 'unit tests', command: ['vitest', 'run', '--project', 'unit'] }, ...qualitySteps],
  2,
);
const failed = results.filter(({ ok }) => !ok);
say(`${results.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
