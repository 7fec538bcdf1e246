import { prepareMachine } from './prepare-machine.ts';
import { qualitySteps } from './quality.ts';
import { runStep, runSteps, say } from './steps.ts';

/** `npm test`: set-up, then everything. Ends with one line that counts. */
await prepareMachine();
const quality = await runSteps(qualitySteps, 2);
say('tests …');
const tests = await runStep({
  name: 'tests',
  command: [
    'vitest',
    'run',
    '--reporter=default',
    '--reporter=json',
    '--outputFile.json=.vitest/results.json',
  ],
  live: true,
});

const { passed, failed } = await countTests();
const broken = quality.filter(({ ok }) => !ok).length;
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
