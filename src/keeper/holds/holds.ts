import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Clock, Log } from '../../kernel/index.ts';
import { type Roster, refusal } from '../children/roster.ts';
import { keeperLimits } from '../limits.ts';
import type { Hold } from '../protocol/protocol.ts';
import type { OrderOf } from '../protocol/request.ts';
import { endSquatters } from '../strays/squatters.ts';
import { type HoldRecord, isHoldOver, toHold } from './hold.ts';
import { createLeaseTimer, type LeaseTimer } from './lease-timer.ts';

export interface HoldsDeps {
  readonly roster: Roster;
  readonly clock: Clock;
  readonly log: Log;
  save(): Promise<void>;
}

/**
 * Leases without a process of their own. When one expires, its children are ended, its directories
 * removed, and its command is run, even when no other process is alive.
 */
export class Holds {
  readonly #deps: HoldsDeps;
  readonly #records = new Map<string, HoldRecord>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #timer: LeaseTimer;

  constructor(deps: HoldsDeps) {
    this.#deps = deps;
    this.#timer = createLeaseTimer(deps.clock, () => this.endLeases());
  }

  get records(): readonly HoldRecord[] {
    return [...this.#records.values()];
  }

  adopt(records: readonly HoldRecord[]): void {
    for (const record of records) this.#records.set(record.name, record);
    this.endLeases();
  }

  /** An existing hold gets a new end, and so do its children. */
  async place({ name, leaseMs, notAfter, again, ...rest }: OrderOf<'hold'>): Promise<Hold> {
    this.endLeases();
    this.checkOpen(name, { isNew: !again });
    const { remove, command } = rest;
    const end = this.#deps.clock.now() + leaseMs;
    const record = { name, leaseEndsAt: Math.min(end, notAfter ?? end), remove, command };
    this.#records.set(name, record);
    for (const child of this.#deps.roster.under(name)) {
      child.record = { ...child.record, leaseEndsAt: record.leaseEndsAt };
    }
    this.endLeases();
    await this.#deps.save();
    return toHold(record);
  }

  /** Ends it now without running its command: the client has done that work itself. */
  async release({ name }: OrderOf<'release'>): Promise<null> {
    const record = this.#records.get(name);
    if (record) {
      // Over, should the keeper be killed in the middle of it.
      this.#records.set(name, { ...record, leaseEndsAt: this.#deps.clock.now(), command: [] });
      await this.#end(name);
    }
    return null;
  }

  async list(): Promise<readonly Hold[]> {
    return this.records.map(toHold);
  }

  /** No child is started under an expired hold, because nothing would end it. */
  checkOpen(name: string, { isNew = false } = {}): HoldRecord | undefined {
    const record = this.#records.get(name);
    if (this.#ending.has(name)) throw refusal(`the hold ${name} is ending`);
    if (!record && !isNew) throw refusal(`there is no hold ${name}`);
    return record;
  }

  endLeases(): void {
    const now = this.#deps.clock.now();
    for (const record of this.records) if (isHoldOver(record, now)) void this.#end(record.name);
    const staying = this.records.filter(({ name }) => !this.#ending.has(name));
    this.#timer.set(staying.map(({ leaseEndsAt }) => leaseEndsAt));
  }

  /** When the keeper leaves: a hold of which nothing runs any more is over too. */
  async endIdle(): Promise<void> {
    const idle = this.records.filter(({ name }) => this.#deps.roster.under(name).length === 0);
    await Promise.all(idle.map(({ name }) => this.#end(name)));
  }

  #end(name: string): Promise<void> {
    const ending =
      this.#ending.get(name) ?? this.#clear(name).finally(() => this.#ending.delete(name));
    this.#ending.set(name, ending);
    return ending;
  }

  /** The record goes last: what could not be done is tried again when leases are looked at next. */
  async #clear(name: string): Promise<void> {
    const { roster, log, save } = this.#deps;
    const record = this.#records.get(name);
    if (!record) return;
    const children = roster.under(name);
    await save();
    await Promise.all(children.map((child) => child.end('lease-ended')));
    await endSquatters(record.remove, log);
    try {
      await Promise.all(record.remove.map((path) => rm(path, { recursive: true, force: true })));
      await runCommand(record.command);
    } catch (error) {
      log('error', 'hold-not-ended', { name, reason: (error as Error).message });
      return;
    }
    for (const { record: child } of roster.all) if (child.hold === name) roster.forget(child.name);
    this.#records.delete(name);
    log('info', 'hold-ended', { name });
    await save();
  }
}

/** Runs the command of a hold that has ended; an empty command does nothing. */
export function runCommand(
  command: readonly string[],
  msMax: number = keeperLimits.holdCommandMsMax,
): Promise<void> {
  const [program, ...words] = command;
  if (program === undefined) return Promise.resolve();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(program, words, {
    cwd: tmpdir(),
    stdio: 'ignore',
    timeout: msMax,
    killSignal: 'SIGKILL',
  });
  child.once('error', reject);
  child.once('exit', (code, signal) => {
    if (code === 0) resolve();
    // Its output is not reported: it may contain an address with a password.
    else reject(new Error(`its command ended with ${signal ?? code}`));
  });
  return promise;
}
