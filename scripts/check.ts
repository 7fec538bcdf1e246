import { qualitySteps } from './quality.ts';
import { runSteps, say } from './steps.ts';

/**
 * The inner loop: `npm run check`. Two at a time, as many as the smallest machine has cores; the
 * tests take longest, so they start first. Each worker loads and compiles everything once more, and
 * these tests hardly wait: more workers than cores would only add to the work.
 */
const unitTests = {
  name: 'unit tests',
  command: ['vitest', 'run', '--project', 'unit', '--maxWorkers', '2'],
};
const results = await runSteps([unitTests, ...qualitySteps], 2);
const failed = results.filter(({ ok }) => !ok);
say(`${results.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
