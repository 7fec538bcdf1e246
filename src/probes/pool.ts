import { fault } from '../kernel/index.ts';
import type { AttachedProcess, Instrumenter, Residue } from './port.ts';

interface Shared {
  readonly attached: Promise<AttachedProcess>;
  readonly tier: Instrumenter['tier'];
  users: number;
}

/** Processes with an agent in them, shared by all their probes; the last one takes it away. */
export class ProcessPool {
  readonly #instrumenters: readonly Instrumenter[];
  readonly #shared = new Map<number, Shared>();
  readonly #isOff: () => boolean;

  /** `isOff` is the switch for all probes. */
  constructor(instrumenters: readonly Instrumenter[], isOff: () => boolean = () => false) {
    this.#instrumenters = instrumenters;
    this.#isOff = isOff;
  }

  checkSwitch(): void {
    if (this.#isOff()) throw fault('PROBES_OFF', {});
  }

  /** The processes that a service consists of, with what can look into each. */
  async find(pid: number): Promise<ReadonlyMap<number, Instrumenter>> {
    const found = new Map<number, Instrumenter>();
    for (const instrumenter of this.#instrumenters) {
      for (const one of await instrumenter.find(pid)) {
        if (!found.has(one)) found.set(one, instrumenter);
      }
    }
    return found;
  }

  async acquire(pid: number, instrumenter: Instrumenter): Promise<AttachedProcess> {
    this.checkSwitch();
    const { tier } = instrumenter;
    const shared = this.#shared.get(pid) ?? { attached: instrumenter.attach(pid), tier, users: 0 };
    this.#shared.set(pid, shared);
    shared.users++;
    try {
      return await shared.attached;
    } catch (error) {
      if (this.#shared.get(pid) === shared) this.#shared.delete(pid);
      throw error;
    }
  }

  /** What is left in the process, if this was the last one who used it. */
  async release(pid: number): Promise<Residue | undefined> {
    const shared = this.#shared.get(pid);
    if (shared === undefined) return undefined;
    if (--shared.users > 0) return undefined;
    this.#shared.delete(pid);
    return (await shared.attached).detach();
  }

  async findOrFail(pid: number): Promise<ReadonlyMap<number, Instrumenter>> {
    const found = await this.find(pid);
    if (found.size > 0) return found;
    throw fault('PROBE_NOTHING_TO_ATTACH', { pid });
  }
}
