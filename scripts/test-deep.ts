import { globSync, readFileSync } from 'node:fs';
import { runSteps } from './steps.ts';

/**
 * `npm run test:deep`: every test with random cases or crash points, with many more of them than in
 * `npm test`. For CI, and after a change of what they are about.
 */
const files = globSync('{src,tests,examples}/**/*.{test,contract}.ts').filter((file) =>
  /from '.*\/(?:deep|expect-refusals)\.ts'/.test(readFileSync(file, 'utf8')),
);
process.env.SURETY_TEST_DEEP = '1';
const command = ['vitest', 'run', ...files.map(testOf)];
const [result] = await runSteps([{ name: 'deep tests', command, live: true }]);
process.exitCode = result?.ok ? 0 : 1;

/** A contract runs as part of the tests of what has to keep it. */
function testOf(file: string): string {
  return file.endsWith('.contract.ts') ? file.replace(/[^/]*$/, '') : file;
}
