import {
  canonicalJson,
  type DirectoryLock,
  fault,
  isFault,
  lockDirectory,
  readPid,
  sha256,
  toFault,
} from '../../kernel/index.ts';
import { watchGate } from '../compose/gate-watch.ts';
import { shown } from '../compose/workspace-ledger.ts';
import { findPlace, type WorkspacePlace } from '../place.ts';
import type { ToolFunction } from '../tools/tool-runner.ts';
import { type ApprovalDesk, createDesk } from './desk.ts';
import type { EmbeddedAct } from './embedded-act.ts';
import type { EmbeddedGateOptions, GuardedGate } from './gate-options.ts';
import { createGuard, type RunGranted } from './guard.ts';
import { createGuardTools } from './guarded-tools.ts';
import { type Composition, composeOwn, planOwn } from './own-composition.ts';
import { remedyInProgram } from './remedy-in-program.ts';
import { stderrLog } from './stderr-log.ts';

/** A gate of this program alone, with the actions of people. */
export interface EmbeddedGate extends GuardedGate, ApprovalDesk {
  /** Proposals that a killed program left open. */
  readonly interrupted: readonly string[];
  /** Continues recoveries now; otherwise they continue every second. */
  look(): Promise<void>;
}

const choresMsEvery = 1_000;

/** Locks the directory, settles calls that a crash left open, and adopts the policy. */
export async function openOwnGate(options: EmbeddedGateOptions): Promise<EmbeddedGate> {
  const place = findPlace(process.cwd(), options.directory);
  // A mistake in the policy is reported before anything is written.
  const plan = planOwn(place, options);
  const lock = lockOwn(place);
  const functions = new Map<string, ToolFunction>();
  try {
    return serve(await composeOwn(plan, functions), functions, lock, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Neither a daemon nor another program may write to the same ledger. */
function lockOwn({ state }: WorkspacePlace): DirectoryLock {
  try {
    return lockDirectory(state, 'daemon');
  } catch (error) {
    if (!isFault(error, 'DIRECTORY_IN_USE')) throw error;
    const pid = readPid(state, 'daemon');
    const holder = 'program or daemon';
    throw fault('DIRECTORY_IN_USE', { directory: state, holder, pid }, error).with({ pid });
  }
}

function serve(
  composition: Composition,
  functions: Map<string, ToolFunction>,
  lock: DirectoryLock,
  { agent, log = stderrLog }: EmbeddedGateOptions,
): EmbeddedGate {
  const { gate, ledger, policyFile, interrupted } = composition;
  const calls = new Calls();
  const report = (error: unknown): void => log('warn', 'chore-failed', shown(error));
  const look = watchGate(gate, report);
  const work = (): void => {
    look().catch(report);
    policyFile?.look().catch(report);
  };
  const chores = setInterval(work, choresMsEvery).unref();

  const act: EmbeddedAct = (proposal, run) =>
    calls
      .track(() => gate.act({ ...proposal, actor: `agent:${agent}` }, run))
      .catch((error) => Promise.reject(remedyInProgram(error)));
  const register = (tool: string, run: RunGranted): void => {
    functions.set(tool, ({ arguments: given, proposal, key, leases, signal }) => {
      const argumentsHash = sha256(canonicalJson(given));
      const keyed = key === undefined ? {} : { key };
      return run(given, { proposal, argumentsHash, leases, signal, ...keyed });
    });
  };
  const guard = createGuard({ act, register });
  const leave = async (): Promise<void> => {
    clearInterval(chores);
    await calls.end();
    await look().catch(report);
    await ledger
      .append({ kind: 'gate-closed', actor: 'surety:gate', body: { pid: process.pid } })
      .catch((error) => log('warn', 'close-not-recorded', { reason: toFault(error).message }));
    await ledger.close();
    lock.release();
  };
  let left: Promise<void> | undefined;
  const close = (): Promise<void> => {
    left ??= leave();
    return left;
  };
  const tools = createGuardTools(guard);
  const own = { act, guard, tools, interrupted, look, close, [Symbol.asyncDispose]: close };
  return { ...createDesk(composition), ...own };
}

/** Calls in progress: closing the gate waits for them, and no new call starts meanwhile. */
class Calls {
  readonly #open = new Set<Promise<unknown>>();
  #isEnding = false;

  async track<Result>(begin: () => Promise<Result>): Promise<Result> {
    if (this.#isEnding) throw fault('GATE_CLOSED', {});
    const call = begin();
    this.#open.add(call);
    try {
      return await call;
    } finally {
      this.#open.delete(call);
    }
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.allSettled(this.#open);
  }
}
