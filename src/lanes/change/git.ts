import { execFile } from 'node:child_process';
import { fault } from '../../kernel/index.ts';

const outputBytesMax = 64 * 1024 * 1024;

/** One git command in a directory; its standard output without the last newline. */
export function git(
  directory: string,
  words: readonly string[],
  input = '',
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  return runGit('git', directory, words, { input, more });
}

/** The same for output that is not text. */
export function gitBytes(
  directory: string,
  words: readonly string[],
  input: string,
): Promise<Buffer> {
  return execute('git', directory, words, { input, more: {} });
}

/** The same for a script that calls git. */
export async function runGit(
  program: string,
  directory: string,
  words: readonly string[],
  call: GitInput,
): Promise<string> {
  return (await execute(program, directory, words, call)).toString('utf8').replace(/\n$/, '');
}

interface GitInput {
  readonly input: string;
  /** Variables besides ours. */
  readonly more: Readonly<Record<string, string>>;
}

function execute(
  program: string,
  directory: string,
  words: readonly string[],
  { input, more }: GitInput,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const env = { ...environment(), ...more };
  const options = { cwd: directory, maxBuffer: outputBytesMax, env, encoding: 'buffer' } as const;
  const child = execFile(program, words, options, (error, stdout, stderr) => {
    if (!error) return resolve(stdout);
    const reason = stderr.toString('utf8').trim() || error.message;
    reject(fault('GIT_FAILED', { command: words.join(' ').slice(0, 80), reason }, error));
  });
  // A command that ends before it read everything must not take us with it.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  return promise;
}

/** Independent of what the user's configuration or an enclosing hook says. */
function environment(): NodeJS.ProcessEnv {
  const { GIT_DIR: _, GIT_WORK_TREE: __, GIT_INDEX_FILE: ___, ...rest } = process.env;
  return {
    ...rest,
    ...withSafeSettings(Number(rest.GIT_CONFIG_COUNT ?? 0)),
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Surety',
    GIT_AUTHOR_EMAIL: 'surety@localhost',
    GIT_COMMITTER_NAME: 'Surety',
    GIT_COMMITTER_EMAIL: 'surety@localhost',
  };
}

/**
 * With `core.hooksPath=.hooks` hooks belong to the checkout, and so to a change that is not
 * approved yet, and would run with the daemon's rights. A name that is `.git` on another file
 * system would harm whoever checks the change out there.
 */
const safeSettings: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
];

function withSafeSettings(given: number): NodeJS.ProcessEnv {
  const variables = safeSettings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${given + index}`, key],
    [`GIT_CONFIG_VALUE_${given + index}`, value],
  ]);
  return {
    GIT_CONFIG_COUNT: String(given + safeSettings.length),
    ...Object.fromEntries(variables),
  };
}
