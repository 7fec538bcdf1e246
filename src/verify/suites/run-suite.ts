import { spawn } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endGroup, redactText } from '../../kernel/index.ts';
import { viewOf } from '../../lanes/index.ts';
import type { SuiteConfig } from '../../system/index.ts';
import type { SuiteRun } from '../api-schema.ts';
import { verifyLimits } from '../limits.ts';
import { readReport } from './reports/index.ts';
import { type SuiteTarget, suiteEnvironment } from './suite-environment.ts';

export type { Check } from './reports/index.ts';
export type { SuiteTarget } from './suite-environment.ts';

/** A suite is a program: it reports checks in one of several formats, and ends with a code. */
export async function runSuite(
  suite: string,
  config: SuiteConfig,
  target: SuiteTarget,
): Promise<SuiteRun> {
  const reports = mkdtempSync(join(tmpdir(), 'surety-suite-'));
  const logs = await target.openLogs?.();
  const captures = await target.openCaptures?.(suite);
  try {
    const given = { suite, reports, logs: logs?.address, captures: captures?.address };
    const directory = join(target.tree.root, config.directory);
    const environment = suiteEnvironment(config, target, given);
    const view = { ...viewOf(target.tree, [reports]), directory, environment };
    const script = `exec ${config.command}`;
    const ended = await runProgram({
      // An agent may have written it: it sees its own files, and the directory for its reports.
      command: target.confinement.command({ ...view, script, endsWithParent: true }),
      directory,
      environment,
      ...(target.signal ? { signal: target.signal } : {}),
    });
    return judgeRun(suite, config, ended, reports);
  } finally {
    await logs?.close();
    await captures?.close();
    rmSync(reports, { recursive: true, force: true });
  }
}

function judgeRun(
  suite: string,
  { report = 'json' }: SuiteConfig,
  ended: ProgramEnd,
  directory: string,
): SuiteRun {
  const { files, tooLarge } = readFiles(directory);
  const { checks: all, broken } = readReport(report, { ...ended, files });
  const checks = all.slice(0, verifyLimits.suiteChecksMax);
  const isLong = all.length > checks.length;
  const tooMany = isLong ? `it has more than ${verifyLimits.suiteChecksMax} checks` : null;
  const reason = ended.ended ?? tooLarge ?? tooMany ?? because(broken, ended);
  if (reason !== null) return { suite, result: 'broken', checks, reason };
  const passed = ended.code === 0 && checks.every((check) => check.passed);
  return { suite, result: passed ? 'passed' : 'failed', checks, reason: null };
}

/** The last lines of standard error say more than the exit code. */
function because(broken: string | null, { errors }: ProgramEnd): string | null {
  const lines = errors.trim().split('\n').slice(-5).join('\n').slice(-500);
  return broken === null || lines === '' ? broken : `${broken}: ${redactText(lines)}`;
}

/** The report files in the order of their names, unless they are too large together. */
function readFiles(directory: string): { files: string[]; tooLarge: string | null } {
  const paths = readdirSync(directory)
    .filter((name) => name.endsWith('.xml'))
    .sort()
    .map((name) => join(directory, name))
    // Not a link: it could lead to a file that the suite itself cannot read.
    .filter((path) => lstatSync(path).isFile());
  const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  if (bytes > verifyLimits.suiteOutputBytesMax) {
    const tooLarge = `its reports are larger than ${verifyLimits.suiteOutputBytesMax} bytes`;
    return { files: [], tooLarge };
  }
  return { files: paths.map((path) => readFileSync(path, 'utf8')), tooLarge: null };
}

interface ProgramSpec {
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ends it when it aborts. */
  readonly signal?: AbortSignal;
}

interface ProgramEnd {
  readonly output: string;
  readonly errors: string;
  readonly code: number | null;
  /** Why Surety ended it; null if it ended by itself. */
  readonly ended: string | null;
}

const errorsCharsMax = 8_000;

/** Runs a program to its end, and kills what it leaves behind. */
function runProgram(spec: ProgramSpec): Promise<ProgramEnd> {
  const { promise, resolve } = Promise.withResolvers<ProgramEnd>();
  const [program = '', ...words] = spec.command;
  const child = spawn(program, words, {
    cwd: spec.directory,
    env: spec.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: a browser that a suite leaves would keep its output open for ever.
    detached: true,
  });
  let output = '';
  let errors = '';
  let ended: string | null = null;
  const end = (reason: string): void => {
    ended ??= reason;
    endGroup(child.pid);
  };
  const timer = setTimeout(
    () => end(`it took longer than ${verifyLimits.suiteMsMax} ms`),
    verifyLimits.suiteMsMax,
  );
  const abort = (): void => end('the deadline passed');
  if (spec.signal?.aborted) abort();
  spec.signal?.addEventListener('abort', abort, { once: true });
  const settle = (result: ProgramEnd): void => {
    clearTimeout(timer);
    spec.signal?.removeEventListener('abort', abort);
    resolve(result);
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > verifyLimits.suiteOutputBytesMax) {
      end(`it printed more than ${verifyLimits.suiteOutputBytesMax} bytes`);
    }
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-errorsCharsMax);
  });
  child.on('exit', () => endGroup(child.pid));
  child.on('error', ({ message }) => settle({ output, errors, code: null, ended: message }));
  child.on('close', (code) => settle({ output, errors, code, ended }));
  return promise;
}
