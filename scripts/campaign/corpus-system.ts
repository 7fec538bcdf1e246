import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../tests/harness/free-ports.ts';
import { type Postgres, startPostgres } from '../../tests/harness/postgres/postgres.ts';
import { type KnownChange, patchText } from './corpus-changes.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const example = join(repository, 'examples', 'trading');
const program = join(repository, 'bin', 'surety.js');

/** A whole system, run by Surety in a repository of its own. */
export interface CorpusSystem {
  readonly directory: string;
  /** The change as a file that fits this repository. */
  patchFile(change: KnownChange): string;
  /** `surety <words> --json`, and the last line of what it said. */
  surety(words: readonly string[], secondsMax: number): Promise<Told>;
  stop(): Promise<void>;
}

export interface Told {
  readonly code: number | null;
  readonly value: Readonly<Record<string, unknown>>;
  /** All that it said, a value for each line. */
  readonly values: readonly Told['value'][];
}

/** The trading platform, or a copy of the repository of another system. */
export async function startCorpusSystem(
  repositoryOfSystem?: string,
  configFile = 'surety.yaml',
): Promise<CorpusSystem> {
  const postgres = await startPostgres();
  const directory = mkdtempSync(join(tmpdir(), 'surety-corpus-'));
  const env = { ...process.env, DATABASE_URL: await postgres.createDatabase('trading') };
  const surety = (words: readonly string[], secondsMax: number): Promise<Told> =>
    run([program, ...words, '--json', '-C', directory], env, secondsMax);
  const stop = (): Promise<void> => stopAll(directory, surety, postgres);
  try {
    const moved = repositoryOfSystem
      ? cloneSystem(repositoryOfSystem, directory)
      : await makeRepository(directory, configFile);
    for (const words of [['up'], ['system', 'up']]) {
      const { code, value } = await surety(words, startSecondsMax);
      if (code !== 0) throw new Error(`surety ${words.join(' ')}: ${JSON.stringify(value)}`);
    }
    const patchFile = (change: KnownChange): string => {
      const file = join(directory, '.surety', `${change.name}.patch`);
      writeFileSync(file, fitted(patchText(change), moved));
      return file;
    };
    return { directory, patchFile, surety, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A command about a change. Some of them turn round what a test expects, which only a person may
 * let them: they are here to be judged, and so one lets them.
 */
export async function suretyOn(
  system: CorpusSystem,
  file: string,
  words: readonly string[],
  secondsMax: number,
): Promise<Told> {
  const told = await system.surety(words, secondsMax);
  const { fault } = told.value as { fault?: { code: string } };
  if (fault?.code !== 'CHANGE_PROTECTED') return told;
  const override = ['change', 'override', file, '--reason', 'it is to be judged'];
  await system.surety(override, secondsMax);
  return system.surety(words, secondsMax);
}

const startSecondsMax = 180;

type Moved = (text: string) => string;

/** On ports that nobody else uses: more than one such system may run on a machine. */
async function makeRepository(directory: string, configFile: string): Promise<Moved> {
  for (const part of readdirSync(example).filter((name) => name !== 'changes')) {
    cpSync(join(example, part), join(directory, part), { recursive: true });
  }
  const config = readFileSync(join(example, configFile), 'utf8');
  const moved = await movePorts(config);
  writeFileSync(join(directory, 'surety.yaml'), moved(config));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}\n');
  writeFileSync(join(directory, '.gitignore'), 'node_modules\n.surety/\n.tls/\n__pycache__/\n');
  linkPackages(directory);
  git(directory, 'init', '--quiet', '--initial-branch=main');
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--message', 'The trading platform');
  return moved;
}

/** With the ports that it names: a service may know the port of another by heart. */
function cloneSystem(from: string, directory: string): Moved {
  git(directory, 'clone', '--quiet', resolve(from), '.');
  writeFileSync(join(directory, '.git', 'info', 'exclude'), 'node_modules\n.surety/\n');
  if (!existsSync(join(directory, 'node_modules'))) linkPackages(directory);
  return (text) => text;
}

function linkPackages(directory: string): void {
  symlinkSync(join(repository, 'node_modules'), join(directory, 'node_modules'));
}

async function movePorts(text: string): Promise<Moved> {
  const usual = /\b43(?:0\d|10)\b/g;
  const ports = new Map<string, number>();
  for (const [port] of text.matchAll(usual)) {
    if (!ports.has(port)) ports.set(port, await freePort());
  }
  return (given) => given.replaceAll(usual, (port) => String(ports.get(port) ?? port));
}

/** Of the files of a change only surety.yaml names ports that were moved. */
function fitted(patch: string, moved: Moved): string {
  const files = patch.replaceAll('examples/trading/', '').split(/^(?=diff --git )/m);
  return files
    .map((file) => (file.startsWith('diff --git a/surety.yaml ') ? moved(file) : file))
    .join('');
}

function run(words: readonly string[], env: NodeJS.ProcessEnv, secondsMax: number): Promise<Told> {
  const options = { env, timeout: secondsMax * 1_000, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      const values = stdout.trimEnd().split('\n').flatMap(valueIn);
      resolve({ code, values, value: values.at(-1) ?? { said: stderr.slice(-2_000) } });
    });
  });
}

function valueIn(line: string): Told['value'][] {
  try {
    return [JSON.parse(line) as Told['value']];
  } catch {
    return [];
  }
}

async function stopAll(
  directory: string,
  surety: CorpusSystem['surety'],
  postgres: Postgres,
): Promise<void> {
  await surety(['down'], startSecondsMax);
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}

function git(directory: string, ...words: string[]): void {
  const identity = ['-c', 'user.name=corpus', '-c', 'user.email=corpus@localhost'];
  execFileSync('git', [...identity, ...words], { cwd: directory });
}
