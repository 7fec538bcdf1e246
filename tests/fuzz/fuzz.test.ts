import { describe, expect, test } from 'vitest';
import { runs } from '../harness/deep.ts';
import { casesOf } from './cases.ts';
import { type Finding, fuzz, newFuzzState } from './fuzzing.ts';
import { fuzzTargets } from './targets.ts';

/** A few inputs of each run of the tests; targets with processes only in the deep one. */
const withProcesses = new Set(['api', 'mcp', 'router']);

// proves: daemon.damaged-input
describe.each(Object.entries(fuzzTargets))('%s', (name, open) => {
  const executions = withProcesses.has(name) ? runs(0, 2_000) : runs(100, 5_000);

  test.runIf(executions > 0)(`takes ${executions} damaged inputs without a crash`, async () => {
    await using target = await open();
    const findings: Finding[] = [];
    const state = newFuzzState(1);
    const found = (finding: Finding): number => findings.push(finding);
    await fuzz(target, state, executions, { begin: () => undefined, found });
    expect(findings.map(({ input, error }) => `${input.toString('base64')} ${error}`)).toEqual([]);
    expect(state.outcomes.size).toBeGreaterThan(1);
  });

  const cases = casesOf(name);
  test.runIf(cases.length > 0)('takes what was found before', async () => {
    await using target = await open();
    for (const { name: file, input } of cases) {
      expect([file, typeof (await target.execute(input))]).toEqual([file, 'string']);
    }
  });
});
