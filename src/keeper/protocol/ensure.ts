import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, realpathSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  compiledVariable,
  isFault,
  makePrivateDirectory,
  nodeCommand,
} from '../../kernel/index.ts';
import { openLogFile } from '../children/log-file.ts';
import { markVariable } from '../children/mark.ts';
import { keeperLimits } from '../limits.ts';
import { ownLogPath } from '../own-log.ts';
import { connectKeeper, type Keeper } from './client.ts';
import { unreachable } from './connection.ts';
import { exitWhenInUse } from './protocol.ts';

const lookMsEvery = 20;

/**
 * The keeper of a directory; started if there is none. Whoever else does the same at this moment
 * starts one as well, and the lock on the directory lets one of them live. It may also refuse all
 * of them, or one may still be leaving, so a keeper that found the place taken is started again.
 */
export async function ensureKeeper(stateDirectory: string): Promise<Keeper> {
  makePrivateDirectory(stateDirectory);
  const deadline = AbortSignal.timeout(keeperLimits.keeperStartMsMax);
  let started: ChildProcess | undefined;
  while (!deadline.aborted) {
    const keeper = await connectIfThere(stateDirectory);
    if (keeper) return withdraw(started, keeper);
    if (!started || hasGivenWay(started, stateDirectory)) started = startKeeper(stateDirectory);
    await delay(lookMsEvery);
  }
  throw failure(stateDirectory, `it did not answer in ${keeperLimits.keeperStartMsMax} ms`);
}

/**
 * Stops our keeper when another one was first. It would notice by itself, but if the other keeper
 * left before that, ours would stay without anyone who needs it.
 */
async function withdraw(started: ChildProcess | undefined, keeper: Keeper): Promise<Keeper> {
  const { pid } = await keeper.ping();
  if (started && started.pid !== pid) started.kill('SIGKILL');
  return keeper;
}

async function connectIfThere(stateDirectory: string): Promise<Keeper | null> {
  try {
    return await connectKeeper(stateDirectory);
  } catch (error) {
    if (isFault(error, 'KEEPER_UNREACHABLE')) return null;
    throw error;
  }
}

function startKeeper(stateDirectory: string): ChildProcess {
  const directory = realpathSync(stateDirectory);
  const log = openLogFile(ownLogPath(directory));
  const program = fileURLToPath(new URL('../main.ts', import.meta.url));
  try {
    const [node = '', ...given] = nodeCommand(program, directory);
    // Nothing of the caller's is held on to: not its terminal, directory or pipes.
    const own = { cwd: directory, env: keeperEnvironment() };
    const keeper = spawn(node, given, { ...own, detached: true, stdio: ['ignore', log, log] });
    keeper.unref();
    // It shows in the missing pid; unheard, it would end this process.
    keeper.once('error', () => {});
    return keeper;
  } finally {
    closeSync(log);
  }
}

/**
 * The keeper belongs to its directory and not to who started it: with the mark of a child it would
 * end together with that child, and with its preloads it would do that child's work.
 */
function keeperEnvironment(): NodeJS.ProcessEnv {
  const own = { [markVariable]: undefined, NODE_OPTIONS: undefined, ...compiledVariable() };
  return { ...process.env, ...own };
}

/** False while it runs, true when it left the place to another; anything else is a failure. */
function hasGivenWay(keeper: ChildProcess, stateDirectory: string): boolean {
  const { pid, exitCode, signalCode } = keeper;
  if (pid === undefined) throw failure(stateDirectory, `${process.execPath} could not be started`);
  if (exitCode === null && signalCode === null) return false;
  if (exitCode === exitWhenInUse) return true;
  throw failure(stateDirectory, `it exited with ${signalCode ?? exitCode}`);
}

function failure(stateDirectory: string, reason: string): Error {
  return unreachable(`${reason}; its log is ${ownLogPath(stateDirectory)}`);
}
