import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fault, type Instant, sharedLimits, tryOr } from '../../kernel/index.ts';
import { closeCgroup, joining, openCgroup } from '../bounds/cgroup.ts';
import { measureUse } from '../bounds/use.ts';
import type { Holds } from '../holds/holds.ts';
import { createLeaseTimer, type LeaseTimer } from '../holds/lease-timer.ts';
import { keeperLimits } from '../limits.ts';
import type { Child } from '../protocol/protocol.ts';
import type { OrderOf } from '../protocol/request.ts';
import { readStat } from '../strays/processes.ts';
import { type ChildRecord, isLeaseOver, toChild } from './child.ts';
import type { Exit } from './exit.ts';
import { type LaunchedProcess, launch } from './launch.ts';
import { markVariable, newInstance, type ProcessMark } from './mark.ts';
import { watchAdopted } from './recovery.ts';
import { type Past, Restarter } from './restarter.ts';
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
  readonly #restarter: Restarter;
  #isLeaving = false;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
    this.#roster = deps.roster;
    this.#leases = createLeaseTimer(deps.clock, () => this.endLeases());
    const launch = (order: OrderOf<'start'>, past: Past) => this.#launch(order, past);
    this.#restarter = new Restarter({ ...deps, launch });
  }

  /** Takes over what an earlier keeper left behind. */
  adopt(records: readonly ChildRecord[]): void {
    for (const record of records) {
      const child = new Supervision(record, watchAdopted(record), this.#deps);
      this.#roster.enter(child);
      const order = child.isRunning && record.restart ? orderOf(record) : undefined;
      if (order) this.#restarter.watch(child, order);
      // Its environment is lost, so it cannot be restarted.
      else this.#restarter.cancel(child);
    }
    this.endLeases();
  }

  // Nothing is awaited before the child is in the roster: a second start of the same name, or a
  // look for strays, must not come in between.
  async start(order: OrderOf<'start'>): Promise<Child> {
    if (this.#isLeaving) throw fault('KEEPER_UNREACHABLE', { reason: 'it is shutting down' });
    const hold = order.hold === null ? undefined : this.#deps.holds.checkOpen(order.hold);
    const leaseEndsAt = hold?.leaseEndsAt ?? this.#leaseEnd(order.leaseMs);
    return this.#launch(order, { restarts: 0, lastExit: null, leaseEndsAt });
  }

  async renew({ name, leaseMs }: OrderOf<'renew'>): Promise<Child> {
    this.endLeases();
    const child = this.#roster.get(name);
    if (child.isEnding) throw refusal(`${name} has ended, or is ending`);
    child.record = { ...child.record, leaseEndsAt: this.#leaseEnd(leaseMs) };
    return this.#changed(child);
  }

  async stop({ name }: OrderOf<'stop'>): Promise<Exit> {
    const child = this.#roster.get(name);
    this.#restarter.cancel(child);
    return child.end('stopped');
  }

  async list({ use }: OrderOf<'list'> = { use: false }): Promise<readonly Child[]> {
    const children = this.#roster.records.map(toChild);
    if (!use) return children;
    const uses = measureUse(this.#deps.keeper);
    return children.map((child) => ({ ...child, use: uses.get(child.instance) ?? null }));
  }

  async forget({ name }: OrderOf<'forget'>): Promise<null> {
    this.#roster.forget(name);
    await this.#deps.save();
    return null;
  }

  /**
   * The latest first, each before the one that it may depend on; the rest at once when it drags.
   */
  async stopAll(except: readonly string[]): Promise<readonly Child[]> {
    this.#isLeaving = true;
    this.#restarter.stop();
    const children = this.#roster.running.filter(({ record }) => !except.includes(record.name));
    const patience = delay(keeperLimits.keeperShutdownMsMax);
    for (const child of children.toReversed()) await Promise.race([child.end('stopped'), patience]);
    const everyEnd = Promise.all(children.map(({ ended }) => ended));
    await Promise.race([everyEnd, delay(4 * sharedLimits.stopGraceMsMax)]);
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

  async #launch(order: OrderOf<'start'>, past: Past): Promise<Child> {
    this.#roster.checkRoom(order.name);
    if (order.hold !== null) this.#deps.holds.checkOpen(order.hold);
    const { name, leaseMs, bounds } = order;
    const instance = newInstance();
    const { keeper } = this.#deps;
    const { directories, holds } = bounds
      ? openCgroup(`surety-${keeper}-${instance}`, bounds)
      : { directories: [], holds: [] };
    const command = joining(order.command, directories);
    const { pid, gone } = launchIn(directories, { ...order, command }, { keeper, name, instance });
    if (pid === undefined) throw await gone.catch((error) => error);
    const record = this.#newRecord(order, instance, pid);
    const whole = { ...record, ...past, cgroups: directories, heldByMachine: holds };
    const child = new Supervision(whole, gone, this.#deps);
    this.#roster.enter(child);
    this.#restarter.watch(child, order);
    this.#deps.log('info', 'child-started', { name, pid, leaseMs });
    return this.#changed(child);
  }

  /** Answered only when it is written down: a renewal that a crash takes back ends a lane early. */
  async #changed(child: Supervision): Promise<Child> {
    const answer = toChild(child.record);
    this.endLeases();
    await this.#deps.save();
    return answer;
  }

  #newRecord(order: OrderOf<'start'>, instance: string, pid: number): ChildRecord {
    const { name, logFile, stopGraceMs, hold, restart, bounds, command, directory } = order;
    // Readable even if the child has already ended: only its parent, the keeper, can reap it.
    const startTicks = readStat(pid)?.startTicks ?? null;
    const startedAt = this.#deps.clock.now();
    const life = { startedAt, leaseEndsAt: null, state: 'running', exit: null } as const;
    const past = { restarts: 0, restartAt: null, lastExit: null } as const;
    const again = { restart, command: restart ? command : [], directory };
    const held = { bounds, heldByMachine: [], cgroups: [] };
    const own = { logFile, stopGraceMs, hold, ...again, ...held };
    return { name, instance, pid, startTicks, ...life, ...past, ...own };
  }

  #leaseEnd(leaseMs: number | null): Instant | null {
    return leaseMs === null ? null : this.#deps.clock.now() + leaseMs;
  }
}

/** Removes the control groups if the process does not start. */
function launchIn(
  cgroups: readonly string[],
  order: OrderOf<'start'>,
  mark: ProcessMark,
): LaunchedProcess {
  try {
    const launched = launch(order, mark);
    if (launched.pid === undefined) closeCgroup(cgroups);
    return launched;
  } catch (error) {
    closeCgroup(cgroups);
    throw error;
  }
}

/**
 * How to restart a child that an earlier keeper started. Its environment is read from the process
 * itself: it may hold secrets, which are never written to a file.
 */
function orderOf(record: ChildRecord): OrderOf<'start'> | undefined {
  const { name, command, directory, logFile, stopGraceMs, hold, bounds, restart } = record;
  const environment = environmentOf(record.pid);
  if (!environment || command.length === 0) return undefined;
  const leaseMs = null;
  const own = { logFile, stopGraceMs, hold, bounds, restart };
  return { name, command, directory, environment, leaseMs, ...own };
}

/** Undefined when it cannot be read, or when the process wrote something else over it. */
function environmentOf(pid: number): Record<string, string> | undefined {
  const variables = tryOr(() => readFileSync(`/proc/${pid}/environ`, 'utf8'), '')
    .split('\0')
    .filter(Boolean);
  const entries = variables.map((text) => {
    const equals = text.indexOf('=');
    return [text.slice(0, equals), text.slice(equals + 1)] as const;
  });
  if (!entries.some(([name]) => name === markVariable)) return undefined;
  return Object.fromEntries(entries.filter(([name]) => name !== markVariable && name !== ''));
}
