import { setTimeout as delay } from 'node:timers/promises';
import { fault, type Instant, limits } from '../kernel/index.ts';
import { type ChildRecord, isLeaseOver, toChild } from './child.ts';
import type { Holds } from './holds.ts';
import { launch } from './launch.ts';
import { createLeaseTimer, type LeaseTimer } from './lease-timer.ts';
import { newInstance } from './mark.ts';
import { readStat } from './processes.ts';
import type { Child, Exit } from './protocol.ts';
import { watchAdopted } from './recovery.ts';
import type { Order } from './request.ts';
import { type Roster, refusal } from './roster.ts';
import { Supervision, type SupervisionDeps } from './supervision.ts';

export interface SupervisorDeps extends SupervisionDeps {
  readonly roster: Roster;
  /** The keeper's part of the mark. */
  readonly keeper: string;
  readonly holds: Holds;
}

/** What can be done with children. */
export class Supervisor {
  readonly #deps: SupervisorDeps;
  readonly #roster: Roster;
  readonly #leases: LeaseTimer;
  #isLeaving = false;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
    this.#roster = deps.roster;
    this.#leases = createLeaseTimer(deps.clock, () => this.endLeases());
  }

  /** Takes over what an earlier keeper left behind. */
  adopt(records: readonly ChildRecord[]): void {
    for (const record of records) {
      this.#roster.enter(new Supervision(record, watchAdopted(record), this.#deps));
    }
    this.endLeases();
  }

  // Nothing is awaited before the child is in the roster: a second start of the same name, or a
  // look for strays, must not come in between.
  async start(order: Order<'start'>): Promise<Child> {
    if (this.#isLeaving) throw fault('KEEPER_UNREACHABLE', { reason: 'it is shutting down' });
    this.#roster.checkRoom(order.name);
    const hold = order.hold === null ? undefined : this.#deps.holds.checkOpen(order.hold);
    const { name, leaseMs } = order;
    const instance = newInstance();
    const { pid, gone } = launch(order, { keeper: this.#deps.keeper, name, instance });
    if (pid === undefined) throw await gone.catch((error) => error);
    const child = new Supervision(
      this.#newRecord(order, instance, pid, hold?.leaseEndsAt),
      gone,
      this.#deps,
    );
    this.#roster.enter(child);
    this.#deps.log('info', 'child-started', { name, pid, leaseMs });
    return this.#changed(child);
  }

  async renew({ name, leaseMs }: Order<'renew'>): Promise<Child> {
    this.endLeases();
    const child = this.#roster.get(name);
    if (child.isEnding) throw refusal(`${name} has ended, or is ending`);
    child.record = { ...child.record, leaseEndsAt: this.#leaseEnd(leaseMs) };
    return this.#changed(child);
  }

  async stop({ name }: Order<'stop'>): Promise<Exit> {
    return this.#roster.get(name).end('stopped');
  }

  async list(): Promise<readonly Child[]> {
    return this.#roster.records.map(toChild);
  }

  async forget({ name }: Order<'forget'>): Promise<null> {
    this.#roster.forget(name);
    await this.#deps.save();
    return null;
  }

  /**
   * The latest first, each before the one that it may depend on; the rest at once when it drags.
   */
  async stopAll(except: readonly string[]): Promise<readonly Child[]> {
    this.#isLeaving = true;
    const children = this.#roster.running.filter(({ record }) => !except.includes(record.name));
    const patience = delay(limits.keeperShutdownMsMax);
    for (const child of children.toReversed()) await Promise.race([child.end('stopped'), patience]);
    const everyEnd = Promise.all(children.map(({ ended }) => ended));
    await Promise.race([everyEnd, delay(4 * limits.stopGraceMsMax)]);
    return this.list();
  }

  endLeases(): void {
    const now = this.#deps.clock.now();
    for (const child of this.#roster.running) {
      if (!child.isEnding && isLeaseOver(child.record, now)) void child.end('lease-ended');
    }
    const staying = this.#roster.running.filter((child) => !child.isEnding);
    this.#leases.set(staying.map(({ record }) => record.leaseEndsAt).filter((end) => end !== null));
  }

  /** Answered only when it is written down: a renewal that a crash takes back ends a lane early. */
  async #changed(child: Supervision): Promise<Child> {
    const answer = toChild(child.record);
    this.endLeases();
    await this.#deps.save();
    return answer;
  }

  #newRecord(
    order: Order<'start'>,
    instance: string,
    pid: number,
    holdEndsAt?: Instant,
  ): ChildRecord {
    const { name, logFile, stopGraceMs, hold } = order;
    // Still there even if it has already ended: nobody but we can take notice of its end.
    const startTicks = readStat(pid)?.startTicks ?? null;
    const leaseEndsAt = holdEndsAt ?? this.#leaseEnd(order.leaseMs);
    const startedAt = this.#deps.clock.now();
    const life = { startedAt, leaseEndsAt, state: 'running', exit: null } as const;
    return { name, instance, pid, startTicks, ...life, logFile, stopGraceMs, hold };
  }

  #leaseEnd(leaseMs: number | null): Instant | null {
    return leaseMs === null ? null : this.#deps.clock.now() + leaseMs;
  }
}
