import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject, limits } from '../kernel/index.ts';
import type { SuiteConfig } from '../system/index.ts';

/** One thing that a suite looked at. */
export type Check = {
  readonly check: string;
  readonly passed: boolean;
  readonly expected: Json;
  readonly actual: Json;
  readonly requestId: string | null;
};

export type SuiteRun = {
  readonly suite: string;
  /** Passed: it ended well and every check held. Broken: it could not say. */
  readonly result: 'passed' | 'failed' | 'broken';
  readonly checks: readonly Check[];
  /** Why it is broken; null otherwise. */
  readonly reason: string | null;
};

export interface SuiteTarget {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where the system's files are: the suites of this version are run. */
  readonly root: string;
}

/** A suite is a program: one JSON line per check on standard output, exit code 0 or 1. */
export async function runSuite(
  suite: string,
  config: SuiteConfig,
  target: SuiteTarget,
): Promise<SuiteRun> {
  const { output, code, reason } = await execute(config, target);
  const checks = output.split('\n').flatMap(readCheck);
  const broken = reason ?? brokenReason(code, checks);
  if (broken !== null) return { suite, result: 'broken', checks, reason: broken };
  const passed = code === 0 && checks.every((check) => check.passed);
  return { suite, result: passed ? 'passed' : 'failed', checks, reason: null };
}

function brokenReason(code: number | null, checks: readonly Check[]): string | null {
  if (code !== 0 && code !== 1) return `it ended with ${code ?? 'a signal'}`;
  if (checks.length === 0) return 'it checked nothing';
  const silent = code === 1 && checks.every((check) => check.passed);
  return silent ? 'it ended with 1, but every check held' : null;
}

interface Execution {
  readonly output: string;
  readonly code: number | null;
  readonly reason: string | null;
}

function execute(config: SuiteConfig, { baseUrl, headers, root }: SuiteTarget): Promise<Execution> {
  const { promise, resolve } = Promise.withResolvers<Execution>();
  const variables = { BASE_URL: baseUrl, HEADERS: JSON.stringify(headers) };
  const child = spawn('/bin/sh', ['-c', `exec ${config.command}`], {
    cwd: join(root, config.directory),
    env: { ...process.env, ...config.environment, ...variables },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: limits.suiteMsMax,
    killSignal: 'SIGKILL',
  });
  let output = '';
  let reason: string | null = null;
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    output += text;
    if (output.length <= limits.suiteOutputBytesMax) return;
    reason = `it printed more than ${limits.suiteOutputBytesMax} bytes`;
    child.kill('SIGKILL');
  });
  child.on('error', (error) => resolve({ output, code: null, reason: error.message }));
  child.on('close', (code) => resolve({ output, code, reason }));
  return promise;
}

function readCheck(line: string): Check[] {
  if (!line.startsWith('{')) return [];
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch {
    return [];
  }
  if (!isJsonObject(value) || typeof value.check !== 'string') return [];
  return [toCheck(value)];
}

function toCheck({ check, passed, expected, actual, requestId, reason }: JsonObject): Check {
  return {
    check: String(check),
    passed: passed === true,
    expected: expected ?? null,
    actual: actual ?? reason ?? null,
    requestId: typeof requestId === 'string' && requestId !== '' ? requestId : null,
  };
}
