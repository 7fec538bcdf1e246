import { describe, expect, test } from 'vitest';
import { laneLimits } from '../limits.ts';
import { runCommand } from './run-command.ts';

const run = (command: string, msMax = laneLimits.dataStepMsMax): Promise<string> =>
  runCommand({ command, directory: '/', environment: { STORE: 'here' }, msMax });

describe("a command for a lane's data", () => {
  test('gets its variables, and its output is returned', async () => {
    expect(await run('echo $STORE')).toBe('here\n');
  });

  test('that fails is reported with its last output', async () => {
    await expect(run('echo why >&2; exit 3')).rejects.toThrow('failed (code 3): why');
  });

  test('is killed with all its children when it takes longer than laneLimits.dataStepMsMax', async () => {
    await expect(run('sleep 60 & sleep 60; wait', 50)).rejects.toThrow('longer than 0.05 s');
  });

  test(`may print ${laneLimits.dataOutputCharsMax} characters; of a longer output the end is kept`, async () => {
    const print = (count: number): Promise<string> =>
      run(`printf a; head -c ${count - 1} /dev/zero | tr '\\0' b`);
    expect(await print(laneLimits.dataOutputCharsMax)).toMatch(/^ab/);
    const more = await print(laneLimits.dataOutputCharsMax + 1);
    expect(more).toMatch(/^bb/);
    expect(more).toHaveLength(laneLimits.dataOutputCharsMax);
  });
});
