import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tagEnvironment } from '../../src/preload/index.ts';
import { say } from '../steps.ts';

interface SuiteRun {
  /** As npm installs it, with the test suite that its package contains. */
  readonly package: string;
  readonly files: readonly string[];
  /** What the suite needs beside it. */
  readonly needs?: readonly string[];
}

/** Queues, pools of threads, streams and programs whose packages on npm contain their tests. */
const suites: readonly SuiteRun[] = [
  { package: 'fastq@1.19.1', files: ['test/test.js', 'test/promise.js'] },
  { package: 'reusify@1.1.0', files: ['test.js'] },
  { package: 'steed@1.1.3', files: ['test.js'] },
  { package: 'fastparallel@2.4.1', files: ['test.js'] },
  { package: 'fastseries@2.0.0', files: ['test.js'] },
  { package: 'fastfall@1.5.1', files: ['test.js'] },
  { package: 'pumpify@2.0.1', files: ['test.js'] },
  { package: 'duplexify@4.1.3', files: ['test.js'] },
  { package: 'from2@2.3.0', files: ['test.js'] },
  { package: 'flush-write-stream@2.0.0', files: ['test.js'] },
  { package: 'stream-shift@1.0.3', files: ['test.js'] },
  { package: 'simple-concat@1.0.1', files: ['test/basic.js'] },
  { package: 'atomic-sleep@1.0.0', files: ['test.js'] },
  { package: 'hyperid@3.3.0', files: ['test/test.js', 'test/uniqueness.js'] },
  {
    package: 'sonic-boom@4.2.0',
    files: ['test/write.test.js', 'test/flush.test.js', 'test/end.test.js', 'test/retry.test.js'],
    needs: ['proxyquire@2'],
  },
];

/**
 * `npm run campaign -- differential`: runs test suites of packages with the preload and without,
 * and compares exit codes and each assertion.
 */
export async function differentialCampaign(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'surety-differential-'));
  try {
    install(directory);
    const results = suites.map((suite) => compare(suite, directory));
    const ran = results.filter(({ assertions }) => assertions > 0);
    const different = results.filter(({ isSame }) => !isSame);
    const assertions = ran.reduce((total, one) => total + one.assertions, 0);
    say(`\n${ran.length} of ${suites.length} suites ran, with ${assertions} assertions.`);
    say(`${different.length} differ with the preload.`);
    return different.length === 0 ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function install(directory: string): void {
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n');
  const wanted = suites.flatMap((suite) => [suite.package, ...(suite.needs ?? [])]);
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  const common = ['tape@5', 'through2@4', 'concat-stream@2', 'async@3'];
  const words = ['install', ...options, ...common, ...wanted];
  say(`installing ${wanted.length} packages …`);
  const { status, stderr } = spawnSync('npm', words, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

interface SuiteResult {
  readonly isSame: boolean;
  readonly assertions: number;
}

function compare({ package: spec, files }: SuiteRun, directory: string): SuiteResult {
  const name = spec.slice(0, spec.lastIndexOf('@'));
  const cwd = join(directory, 'node_modules', name);
  const results = files.map((file) => {
    const plain = runSuite(cwd, file, {});
    const tagged = runSuite(cwd, file, preloaded());
    return { isSame: plain.outcome === tagged.outcome, assertions: plain.assertions };
  });
  const isSame = results.every((one) => one.isSame);
  const assertions = results.reduce((total, one) => total + one.assertions, 0);
  say(`${spec.padEnd(28)} ${String(assertions).padStart(5)} ${isSame ? 'same' : 'DIFFERENT'}`);
  return { isSame, assertions };
}

const suiteMsMax = 120_000;

function runSuite(
  cwd: string,
  file: string,
  variables: Readonly<Record<string, string>>,
): { outcome: string; assertions: number } {
  const { PATH, HOME } = process.env;
  const { status, stdout } = spawnSync(process.execPath, [file], {
    cwd,
    env: { PATH, HOME, ...variables },
    encoding: 'utf8',
    timeout: suiteMsMax,
  });
  // The order of tests that run at the same time, and how long they take, is nobody's promise.
  const lines = stdout
    .split('\n')
    .filter((line) => /^\s*(?:not )?ok /.test(line))
    .map((line) => line.replace(/ok \d+/, 'ok').replace(/# time=.*|\d+(?:\.\d+)?ms/g, ''))
    .sort();
  return { outcome: JSON.stringify([status, lines]), assertions: lines.length };
}

function preloaded(): Record<string, string> {
  return tagEnvironment({
    service: 'suite',
    instance: 'suite/baseline/1',
    router: '127.0.0.1:1',
    traceSecret: 'ab'.repeat(32),
    telemetry: '127.0.0.1:1',
  });
}
