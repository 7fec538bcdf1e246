import type { Clock, Log } from '../../kernel/index.ts';
import { closeCgroup, membersOf, memoryKills } from '../bounds/cgroup.ts';
import type { Sweeper } from '../strays/sweeper.ts';
import { type ChildRecord, exited } from './child.ts';
import type { Exit } from './exit.ts';
import type { ProcessEnd } from './launch.ts';
import { trimLogFile } from './log-file.ts';
import { nextStart } from './restart.ts';
import { askGroupToEnd, signalGroup, signalProcess } from './signals.ts';

export interface SupervisionDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly sweeper: Sweeper;
  /** Called at each change of a record. */
  save(): Promise<void>;
}

/** Why we end a child, as opposed to what it does by itself. */
type EndReason = Exclude<Exit['reason'], ProcessEnd['reason']>;

/** One child, from its start until nothing of it is left. */
export class Supervision {
  record: ChildRecord;
  /** Once it ends it can no longer be renewed, though it may still be there for its grace. */
  isEnding: boolean;
  readonly ended: Promise<Exit>;
  readonly #deps: SupervisionDeps;
  readonly #told: PromiseWithResolvers<EndReason> = Promise.withResolvers();

  constructor(record: ChildRecord, gone: Promise<ProcessEnd>, deps: SupervisionDeps) {
    this.record = record;
    this.isEnding = record.exit !== null;
    this.#deps = deps;
    this.ended = record.exit ? Promise.resolve(record.exit) : this.#live(gone);
  }

  get isRunning(): boolean {
    return this.record.state === 'running';
  }

  /** The first reason counts; ending what has ended gives its exit. */
  end(reason: EndReason): Promise<Exit> {
    this.isEnding = true;
    this.#told.resolve(reason);
    return this.ended;
  }

  async #live(gone: Promise<ProcessEnd>): Promise<Exit> {
    const { instance, stopGraceMs } = this.record;
    const told = await Promise.race([gone.then(() => null), this.#told.promise]);
    this.isEnding = true;
    if (told) await askGroupToEnd(this.record, stopGraceMs);
    signalGroup(this.record, 'SIGKILL');
    const departure = await gone;
    await this.#deps.sweeper.clear(instance);
    const { cgroups } = this.record;
    for (const pid of membersOf(cgroups)) signalProcess(pid, 'SIGKILL');
    const isOverMemory = !told && memoryKills(cgroups) > 0;
    const reason = isOverMemory ? 'over-memory' : (told ?? departure.reason);
    closeCgroup(cgroups);
    return this.#close({ ...departure, at: this.#deps.clock.now(), reason });
  }

  async #close(exit: Exit): Promise<Exit> {
    const { name, pid, logFile } = this.record;
    // Planned in the same tick, so that no reader sees the child as given up while it waits for its
    // restart.
    const restartAt = nextStart(this.record, exit)?.at ?? null;
    this.record = { ...exited(this.record, exit), restartAt };
    const { code, signal, reason } = exit;
    this.#deps.log('info', 'child-ended', { name, pid, code, signal, reason });
    trimLogFile(logFile);
    await this.#deps.save();
    return exit;
  }
}
