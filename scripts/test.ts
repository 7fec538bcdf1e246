import { prepareMachine } from './prepare-machine.ts';
import { qualitySteps } from './quality.ts';
import { runStep, runSteps, say } from './steps.ts';

/** `npm test`: set-up, then everything. Ends with one line that counts. */
await prepareMachine();
const vitest = ['vitest', 'run', '--reporter=default', '--reporter=json'];
const command = [...vitest, '--outputFile.json=.vitest/results.json'];
say('checks and tests …');
// Tests often wait for processes; the checks use that time.
const [quality, tests] = await Promise.all([
  runSteps(qualitySteps),
  runStep({ name: 'tests', command, live: true }),
]);

const { passed, failed } = await countTests();
const broken = quality.filter(({ ok }) => !ok).length;
for (const { name, ok } of quality) say(`${ok ? '✓' : '✗'} ${name}`);
const unfinished = !tests.ok && failed === 0 ? 1 : 0;
say(`${passed + quality.length - broken} passed, ${failed + broken + unfinished} failed`);
process.exitCode = failed + broken + unfinished === 0 && passed > 0 ? 0 : 1;

async function countTests(): Promise<{ passed: number; failed: number }> {
  const { readFile } = await import('node:fs/promises');
  try {
    const report = JSON.parse(await readFile('.vitest/results.json', 'utf8'));
    return { passed: report.numPassedTests, failed: report.numFailedTests };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
