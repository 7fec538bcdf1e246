import { type Fault, fault } from '../../kernel/index.ts';
import { keeperLimits } from '../limits.ts';
import type { ChildRecord } from './child.ts';
import type { Supervision } from './supervision.ts';

/** Everything the keeper knows of, in the order it was started; exited children until forgotten. */
export class Roster {
  readonly #children = new Map<string, Supervision>();

  get all(): readonly Supervision[] {
    return [...this.#children.values()];
  }

  get records(): readonly ChildRecord[] {
    return this.all.map(({ record }) => record);
  }

  get running(): readonly Supervision[] {
    return this.all.filter((child) => child.isRunning);
  }

  /** Those that run and end with a hold. */
  under(hold: string): readonly Supervision[] {
    return this.running.filter(({ record }) => record.hold === hold);
  }

  find(name: string): Supervision | undefined {
    return this.#children.get(name);
  }

  get(name: string): Supervision {
    const child = this.find(name);
    if (!child) throw refusal(`there is no child named ${name}`);
    return child;
  }

  /** The name is free for a new child, and there is room for one more. */
  checkRoom(name: string): void {
    const namesake = this.#children.get(name);
    if (namesake?.isRunning) {
      throw fault('PROCESS_RUNNING', { name, pid: namesake.record.pid });
    }
    if (this.running.length < keeperLimits.keeperChildrenMax) return;
    throw fault('KEEPER_FULL', { limit: keeperLimits.keeperChildrenMax });
  }

  enter(child: Supervision): void {
    // Deleted first, so that a restarted name is the latest again.
    this.#children.delete(child.record.name);
    this.#children.set(child.record.name, child);
    this.#dropOldest();
  }

  forget(name: string): void {
    const child = this.#children.get(name);
    if (child?.isRunning) throw refusal(`${name} is running; stop it first`);
    this.#children.delete(name);
  }

  /** Nobody has to forget anything: exited children make room, the longest known one first. */
  #dropOldest(): void {
    if (this.#children.size <= keeperLimits.keeperChildrenMax) return;
    const oldest = this.all.find((child) => !child.isRunning);
    if (oldest) this.#children.delete(oldest.record.name);
  }
}

export function refusal(reason: string): Fault {
  return fault('KEEPER_REQUEST_INVALID', { reason });
}
