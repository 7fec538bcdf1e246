import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import type { SuiteConfig } from '../../system/index.ts';
import type { SuiteRun } from '../api-schema.ts';
import { verifyLimits } from '../limits.ts';
import { runSuite } from './run-suite.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'surety-suite-'));
});
afterAll(() => rmSync(root, { recursive: true }));

const files = () => ({ tree: { commit: '', root, top: root }, confinement: unconfined });

function run(code: string): Promise<SuiteRun> {
  writeFileSync(join(root, 'suite.mjs'), code);
  const config = { command: 'node suite.mjs', directory: '.', environment: { TOKEN: 't1' } };
  const headers = { baggage: 'surety-lane=lane_1' };
  return runSuite('flow', config, { baseUrl: 'http://127.0.0.1:1', headers, ...files() });
}

const print = (value: object): string => `console.log(${JSON.stringify(JSON.stringify(value))});`;

describe('a suite', () => {
  test('gets address, headers and its own variables, and passes if every check passes', async () => {
    const code = `
      const { BASE_URL, HEADERS, TOKEN } = process.env;
      console.log('some words that are no check');
      console.log(JSON.stringify({ check: BASE_URL + HEADERS + TOKEN, passed: true }));`;
    const { result, checks } = await run(code);
    expect(result).toBe('passed');
    expect(checks.map(({ check }) => check)).toEqual([
      'http://127.0.0.1:1{"baggage":"surety-lane=lane_1"}t1',
    ]);
  });

  test('fails with the expected and the actual value', async () => {
    const line = {
      check: 'flagged',
      passed: false,
      expected: true,
      actual: false,
      requestId: 'r1',
    };
    const { result, checks } = await run(`${print(line)} process.exitCode = 1;`);
    expect(result).toBe('failed');
    expect(checks).toEqual([line]);
  });

  test.each<[string, string, string]>([
    ['it checks nothing', '', 'checked nothing: print one line of JSON for each check'],
    ['it crashes', 'process.exit(7)', 'ended with 7'],
    ['it kills itself', "process.kill(process.pid, 'SIGKILL')", 'ended with a signal'],
    [
      'its exit code contradicts its checks',
      `${print({ check: 'a', passed: true })} process.exitCode = 1;`,
      'every check passed',
    ],
  ])('is broken, not failed, when %s', async (_, code, reason) => {
    const { result, reason: told } = await run(code);
    expect(result).toBe('broken');
    expect(told).toContain(reason);
  });

  test(`may print ${verifyLimits.suiteOutputBytesMax} bytes and no more`, async () => {
    const line = `${JSON.stringify({ check: 'a', passed: true })}\n`;
    const filler = (bytes: number): string =>
      `process.stdout.write(${JSON.stringify(line)} + '#'.repeat(${bytes - line.length}));`;
    expect((await run(filler(verifyLimits.suiteOutputBytesMax))).result).toBe('passed');
    const over = await run(filler(verifyLimits.suiteOutputBytesMax + 1));
    expect(over).toMatchObject({
      result: 'broken',
      reason: expect.stringContaining('printed more'),
    });
  });

  test(`may have ${verifyLimits.suiteChecksMax} checks and no more`, async () => {
    const line = `${JSON.stringify({ check: 'a', passed: true })}\n`;
    const checks = (count: number): string =>
      `process.stdout.write(${JSON.stringify(line)}.repeat(${count}));`;
    const most = await run(checks(verifyLimits.suiteChecksMax));
    expect([most.result, most.checks.length]).toEqual(['passed', verifyLimits.suiteChecksMax]);
    const over = await run(checks(verifyLimits.suiteChecksMax + 1));
    expect(over.reason).toContain(`more than ${verifyLimits.suiteChecksMax} checks`);
    expect(over.checks).toHaveLength(verifyLimits.suiteChecksMax);
  });

  test('may write report files, and takes its child processes with it', async () => {
    const code = `
      const { spawn } = await import('node:child_process');
      const { writeFileSync } = await import('node:fs');
      const left = spawn('sleep', ['600'], { stdio: 'inherit' });
      const test = \`<testsuite><testcase name="\${left.pid}"/></testsuite>\`;
      writeFileSync(process.env.SURETY_REPORTS + '/result.xml', test);
      process.exit();`;
    writeFileSync(join(root, 'suite.mjs'), code);
    const config = { command: 'node suite.mjs', directory: '.', environment: {}, report: 'junit' };
    const target = { baseUrl: '', headers: {}, ...files() };
    const { result, checks } = await runSuite('flow', config as SuiteConfig, target);
    expect(result).toBe('passed');
    const pid = Number(checks[0]?.check);
    await until('what it has left is gone', () => !isThere(pid));
  });

  test(`may leave reports of ${verifyLimits.suiteOutputBytesMax} bytes and no more`, async () => {
    const leave = (bytes: number): string => `
      const test = '<testsuite><testcase name="a"/></testsuite>';
      const file = process.env.SURETY_REPORTS + '/a.xml';
      require('node:fs').writeFileSync(file, test.padEnd(${bytes}));`;
    const look = (bytes: number): Promise<SuiteRun> => {
      writeFileSync(join(root, 'suite.cjs'), leave(bytes));
      const config = {
        command: 'node suite.cjs',
        directory: '.',
        environment: {},
        report: 'junit',
      };
      return runSuite('flow', config as SuiteConfig, { baseUrl: '', headers: {}, ...files() });
    };
    expect((await look(verifyLimits.suiteOutputBytesMax)).result).toBe('passed');
    const over = await look(verifyLimits.suiteOutputBytesMax + 1);
    expect(over.reason).toContain(`${verifyLimits.suiteOutputBytesMax} bytes`);
  });

  test('is broken with the reason from its standard error', async () => {
    const { reason } = await run(`console.error('no such table'); process.exit(3);`);
    expect(reason).toBe('it ended with 3: no such table');
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
