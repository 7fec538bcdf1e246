import {
  type Clock,
  fault,
  type Identifier,
  type Instant,
  isFault,
  type MakeIdentifier,
} from '../kernel/index.ts';
import type { Capture, InstrumentSummary, ProbeCheck, ProbeInstance } from './api-schema.ts';
import { CaptureList } from './captures.ts';
import { certify, type EndReason, type InstanceCertificate, type Removal } from './certificate.ts';
import { probeLimits } from './limits.ts';
import { type BlockedCode, checkPlace } from './placement-rules.ts';
import type { ProcessPool } from './pool.ts';
import type { AttachedProcess, Instrument, Instrumenter, Residue } from './port.ts';
import { checkRequest, type ProbePlan, type ProbeRequest } from './request.ts';
import { isOnDisk } from './target/file-on-disk.ts';

export interface ProbeDeps {
  readonly clock: Clock;
  readonly makeIdentifier: MakeIdentifier;
  readonly processes: ProcessPool;
  /** Code in which no probe is placed. */
  readonly blocked?: readonly BlockedCode[];
}

export interface ActiveProbe {
  readonly id: Identifier<'probe'>;
  readonly placedAt: Instant;
  readonly expiresAt: Instant;
  instances(): readonly ProbeInstance[];
  /** Those that are kept; the newest last. */
  readonly captures: CaptureList;
  /** Also when it ended by itself: gives how it ended. */
  remove(): Promise<Removal>;
  /** Resolves when it has ended, whatever ended it, and has been cleared away. */
  readonly ended: Promise<Removal>;
}

interface Instance {
  readonly pid: number;
  readonly tier: Instrumenter['tier'];
  readonly attached: AttachedProcess;
  /** Null until its file is loaded. */
  instrument: Instrument | null;
  summary: InstrumentSummary | null;
}

/**
 * Places a read-only probe in all running processes of a service, which nobody prepared for it.
 * Whatever goes wrong on the way, the processes are left as they were found.
 */
export async function placeProbe(request: ProbeRequest, deps: ProbeDeps): Promise<ActiveProbe> {
  const plan = checkRequest(request);
  const id = deps.makeIdentifier('probe');
  const probe = new PlacedProbe(id, plan, deps);
  await probe.place();
  return probe;
}

/** Where a probe would be and what it would cost; nothing stays in the processes. */
export async function checkProbe(
  request: ProbeRequest,
  { processes, blocked = [] }: ProbeDeps,
): Promise<ProbeCheck> {
  const { pids, instrument, allowStall } = checkRequest(request);
  const found = await findAll(pids, processes);
  const instances: ProbeCheck['instances'][number][] = [];
  const refusals: unknown[] = [];
  const checkIn = async (attached: AttachedProcess): Promise<void> => {
    const { pid, runtime } = attached.facts;
    if (!allowStall) checkStall(pid, attached.stallMs);
    const { place, cost } = await attached.check(instrument);
    checkPlace(place, blocked);
    instances.push({ pid, runtime, place, cost });
  };
  for (const [pid, instrumenter] of found) {
    const attached = await processes.acquire(pid, instrumenter);
    try {
      for (const one of await withThreads(attached)) {
        await checkIn(one).catch((error) => refusals.push(error));
      }
    } finally {
      await processes.release(pid);
    }
  }
  if (instances.length === 0) throw chooseRefusal(refusals);
  return { instances };
}

/** A process, and its threads: the same file may run in any of them. */
async function withThreads(attached: AttachedProcess): Promise<readonly AttachedProcess[]> {
  return [attached, ...((await attached.threads?.()) ?? [])];
}

/** The processes at or below these, with what can look into each. */
export async function findAll(
  pids: readonly number[],
  processes: ProcessPool,
): Promise<readonly (readonly [number, Instrumenter])[]> {
  const found = await Promise.all(pids.map((pid) => processes.findOrFail(pid)));
  return found.flatMap((one) => [...one]);
}

class PlacedProbe implements ActiveProbe {
  readonly id: Identifier<'probe'>;
  readonly placedAt: Instant;
  readonly expiresAt: Instant;
  readonly captures: CaptureList = new CaptureList();
  readonly ended: Promise<Removal>;
  readonly #plan: ProbePlan;
  readonly #deps: ProbeDeps;
  readonly #instances: Instance[] = [];
  readonly #residues = new Map<Instance, Residue>();
  readonly #ending = Promise.withResolvers<EndReason>();
  readonly #over = new Map<Instance, EndReason>();
  /** Aborted at the end: nobody waits for a file any more. */
  readonly #waiting = new AbortController();
  readonly #arming: Promise<void>[] = [];
  #refusal: string | undefined;
  /** Until all processes have been tried, nobody knows which of them the probe is in. */
  #isPlacing = true;
  #expiry: NodeJS.Timeout | undefined;

  constructor(id: Identifier<'probe'>, plan: ProbePlan, deps: ProbeDeps) {
    this.id = id;
    this.#plan = plan;
    this.#deps = deps;
    this.placedAt = deps.clock.now();
    this.expiresAt = this.placedAt + plan.ttlMs;
    this.ended = this.#ending.promise.then((reason) => this.#end(reason));
  }

  async place(): Promise<void> {
    const { processes } = this.#deps;
    const refusals: unknown[] = [];
    try {
      const found = await findAll(this.#plan.pids, processes);
      for (const [pid, instrumenter] of found) {
        await this.#placeIn(pid, instrumenter, refusals).catch((error) => refusals.push(error));
      }
      if (this.#instances.length === 0 && refusals.every(isUnloaded)) {
        for (const [pid, instrumenter] of found) await this.#waitIn(pid, instrumenter);
      }
      // It may have been turned off meanwhile, by somebody who saw no probe yet.
      processes.checkSwitch();
      if (this.#instances.length === 0) throw chooseRefusal(refusals);
      this.#expiry = setTimeout(() => this.#ending.resolve('expired'), this.#plan.ttlMs);
      this.#isPlacing = false;
      this.#endIfOver();
    } catch (error) {
      this.#ending.resolve('removed');
      await this.ended;
      throw error;
    }
  }

  instances(): readonly ProbeInstance[] {
    return this.#instances.map(({ pid, attached, instrument, summary }) => ({
      pid,
      runtime: attached.facts.runtime,
      place: instrument?.place ?? null,
      cost: instrument?.cost ?? null,
      summary,
    }));
  }

  remove(): Promise<Removal> {
    this.#ending.resolve('removed');
    return this.ended;
  }

  async #placeIn(pid: number, instrumenter: Instrumenter, refusals: unknown[]): Promise<void> {
    const { processes } = this.#deps;
    const { tier } = instrumenter;
    const first = await processes.acquire(pid, instrumenter);
    const all = await withThreads(first).catch((error) => {
      refusals.push(error);
      return [first];
    });
    for (const attached of all) {
      const instance: Instance = { pid, tier, attached, instrument: null, summary: null };
      await this.#armIn(instance, instrumenter).catch((error) => refusals.push(error));
    }
    // Each instance holds the process by itself.
    await processes.release(pid);
  }

  async #armIn(instance: Instance, instrumenter: Instrumenter): Promise<void> {
    const { pid, attached } = instance;
    const { processes } = this.#deps;
    await processes.acquire(pid, instrumenter);
    try {
      if (!this.#plan.allowStall) checkStall(pid, attached.stallMs);
      await this.#arm(instance);
      this.#instances.push(instance);
    } catch (error) {
      await processes.release(pid);
      throw error;
    }
  }

  async #arm(instance: Instance): Promise<void> {
    const { pid, attached } = instance;
    const { instrument: plan, allowStall } = this.#plan;
    const { place, cost } = await attached.check(plan);
    checkPlace(place, this.#deps.blocked ?? []);
    if (!allowStall) checkStall(pid, cost.attachMs);
    instance.instrument = await attached.place(plan, {
      captured: ({ captures, summary }) => {
        this.captures.push(captures.map((capture): Capture => ({ ...capture, pid })));
        if (summary) instance.summary = summary;
      },
      ended: (reason) => this.#instanceEnded(instance, reason),
    });
  }

  /** A file that is on disk and that no process has loaded may be loaded later. */
  async #waitIn(pid: number, instrumenter: Instrumenter): Promise<void> {
    const { file } = this.#plan.instrument;
    if (!(await isOnDisk(pid, file))) return;
    const { processes } = this.#deps;
    const attached = await processes.acquire(pid, instrumenter);
    if (attached.untilLoaded === undefined) return void (await processes.release(pid));
    const { tier } = instrumenter;
    const instance: Instance = { pid, tier, attached, instrument: null, summary: null };
    this.#instances.push(instance);
    const armed = attached.untilLoaded(file, this.#waiting.signal).then(async (isLoaded) => {
      if (isLoaded) await this.#arm(instance);
    });
    this.#arming.push(armed.catch((error) => this.#refuse(instance, error)));
  }

  async #refuse(instance: Instance, error: Error): Promise<void> {
    const { pid } = instance;
    const isThere = (await this.#deps.processes.find(pid)).has(pid);
    this.#refusal ??= isThere ? error.message : undefined;
    this.#instanceEnded(instance, isThere ? 'refused' : 'process-ended');
  }

  #instanceEnded(instance: Instance, reason: EndReason): void {
    this.#over.set(instance, reason);
    this.#endIfOver();
  }

  /** The probe ends when it has ended in all of its processes, for the reason of the last one. */
  #endIfOver(): void {
    if (this.#isPlacing || !this.#instances.every((one) => this.#over.has(one))) return;
    this.#ending.resolve([...this.#over.values()].at(-1) as EndReason);
  }

  async #end(reason: EndReason): Promise<Removal> {
    clearTimeout(this.#expiry);
    const { processes, clock } = this.#deps;
    this.#waiting.abort();
    await Promise.all(this.#arming);
    await Promise.all(
      this.#instances.map(async (instance) => {
        const own = await instance.instrument?.remove();
        const residue = (await processes.release(instance.pid)) ?? own;
        if (residue) this.#residues.set(instance, residue);
      }),
    );
    this.captures.close();
    const times = { placedAt: this.placedAt, endedAt: clock.now() };
    const instances = this.#instances.flatMap((one) => this.#certificateOf(one));
    const unread = this.#instances.find(({ summary }) => summary?.error)?.summary?.error;
    const error = this.#refusal ?? unread;
    return {
      reason,
      hits: this.#instances.reduce((sum, { summary }) => sum + (summary?.hits ?? 0), 0),
      ...(error === undefined ? {} : { error }),
      certificate: certify(this.id, this.#plan.instrument, instances, times),
    };
  }

  /** Nothing for a process in which it never was. */
  #certificateOf(instance: Instance): InstanceCertificate[] {
    const { tier, attached, instrument, summary } = instance;
    if (instrument === null) return [];
    const { place, cost } = instrument;
    const residue = this.#residues.get(instance) as Residue;
    const { facts, readOnly } = attached;
    return [{ process: facts, tier, place, readOnly, predicted: cost, summary, residue }];
  }
}

function checkStall(pid: number, attachMs: number): void {
  const { probeAttachMsMax: max } = probeLimits;
  if (attachMs > max) throw fault('PROBE_STALL_PREDICTED', { pid, attachMs, max });
}

function isUnloaded(error: unknown): boolean {
  return isFault(error, 'PROBE_SCRIPT_NOT_FOUND') && error.values.count === 0;
}

/** Of several processes, the one that has the file knows best why not. */
function chooseRefusal(refusals: readonly unknown[]): unknown {
  const other = refusals.find((error) => !isFault(error, 'PROBE_SCRIPT_NOT_FOUND'));
  return other ?? refusals[0];
}
