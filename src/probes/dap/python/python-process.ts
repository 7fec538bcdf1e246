import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { fault } from '../../../kernel/index.ts';
import type {
  AttachedProcess,
  Instrument,
  InstrumentListener,
  InstrumentPlan,
  Place,
  ProcessFacts,
  ReadOnlyProof,
  Residue,
} from '../../port.ts';
import { checkDapPlan, type DapPlan, describePlace, startedAt, toCapture } from '../dap-plan.ts';
import { countThreads, type DebugTarget, readConditionAfter } from '../debug-target.ts';
import { failureFault } from '../failure.ts';
import { dapLimits } from '../limits.ts';
import { reapAdapter } from '../wire/adapter-process.ts';
import { asBody, type DapBody } from '../wire/client.ts';
import type { DebugpySession } from './connect.ts';
import { type PythonTotals, TargetModule } from './target-module.ts';

interface ActiveInstrument {
  readonly id: number;
  readonly plan: DapPlan;
  readonly file: string;
  readonly listener: InstrumentListener;
  totals: PythonTotals;
  timer: NodeJS.Timeout;
}

const noTotals: PythonTotals = { hits: 0, matched: 0, captured: 0, skipped: 0, errors: 0 };
const totalsMsEvery = 1_000;
/** Measured: debugpy evaluates a hit in the process, without a message to its adapter. */
const cost = { attachMs: 300, perHitMs: 0.3 };

/** A Python process with debugpy in it. Hits are read in the process and never pause it. */
export class PythonProcess implements AttachedProcess {
  readonly facts: ProcessFacts;
  readonly stallMs: number = cost.attachMs;
  readonly readOnly: ReadOnlyProof = {
    beforePlacement: 'names, attributes, indexes, literals and comparisons only',
    inTarget: 'read by our own module, which runs no property, operator or method of the program',
    selfTest: { expressions: 0, mutations: 0 },
  };
  readonly #target: DebugTarget;
  readonly #session: DebugpySession;
  readonly #module: TargetModule;
  readonly #threadsBefore: number;
  /** Begins every message of ours among those of the debugger. */
  readonly #mark: string;
  readonly #instruments = new Map<number, ActiveInstrument>();
  #lastId = 0;
  #updates: Promise<unknown> = Promise.resolve();

  private constructor(options: {
    readonly target: DebugTarget;
    readonly session: DebugpySession;
    readonly module: TargetModule;
    readonly threadsBefore: number;
  }) {
    const { target, session, module, threadsBefore } = options;
    this.#target = target;
    this.#session = session;
    this.#module = module;
    this.#threadsBefore = threadsBefore;
    const text = `${target.pid} ${target.startTicks}`;
    this.#mark = `surety-${createHash('sha256').update(text).digest('hex').slice(0, 12)}:`;
    this.facts = { pid: target.pid, startTicks: target.startTicks, runtime: target.program };
    session.client.on('output', (body) => this.#receive(body));
    // Only an exception in a condition pauses the process. It goes on at once.
    session.client.on('stopped', ({ threadId }) => {
      void session.client.request('continue', { threadId }).catch(() => {});
    });
    session.client.on('terminated', () => session.client.close());
    void session.client.closed.then(() => this.#endAll());
  }

  static async open(
    target: DebugTarget,
    session: DebugpySession,
    threadsBefore: number,
  ): Promise<PythonProcess> {
    const { dapFramesMax: frames, dapLocalsMax: locals } = dapLimits;
    const module = await TargetModule.load(session.client, { frames, locals });
    return new PythonProcess({ target, session, module, threadsBefore });
  }

  async check(plan: InstrumentPlan): Promise<{ place: Place; cost: typeof cost }> {
    const place = await this.#guard(this.#find(checkDapPlan(plan, 'Python')));
    return { place, cost };
  }

  async place(plan: InstrumentPlan, listener: InstrumentListener): Promise<Instrument> {
    const checked = checkDapPlan(plan, 'Python');
    const place = await this.#guard(this.#find(checked));
    const id = ++this.#lastId;
    const timer = setInterval(() => void this.#reportTotals(id), totalsMsEvery).unref();
    const active = { id, plan: checked, file: place.file, listener, totals: noTotals, timer };
    await this.#guard(this.#arm(active));
    return { place, cost, remove: () => this.#remove(id) };
  }

  /** Exactly this line, or a fault: debugpy would move to the line before. */
  async #find({ file, line }: DapPlan): Promise<Place> {
    const { pid } = this.#target;
    const { found, near } = await this.#module.find(file);
    const [path] = found;
    if (path === undefined || found.length > 1) {
      const candidates = [...found, ...near].join(', ') || 'no file of this name is loaded';
      throw fault('PROBE_SCRIPT_NOT_FOUND', { count: found.length, pid, file, candidates });
    }
    const located = await this.#module.locate(path, line);
    if (located.function === null) {
      const reason = `it has no statement; lines with one: ${located.near.join(', ')}`;
      throw fault('PROBE_LINE_REFUSED', { line, file: path, reason });
    }
    const startedMs = await startedAt(this.#target);
    return describePlace({ file: path, line, function: located.function, startedMs });
  }

  async #arm(active: ActiveInstrument): Promise<void> {
    const { id, plan, file } = active;
    await this.#module.add({
      id,
      kind: plan.kind,
      line: plan.line,
      name: basename(file),
      expressions: plan.expressions.map(({ text, read }) => [text, read]),
      condition: plan.condition?.read ?? null,
      sampleRate: plan.sampleRate,
      hitsMax: plan.hitsMax,
    });
    this.#instruments.set(id, active);
    const refused = await this.#sync(file, plan.line);
    if (refused === undefined) return;
    await this.#remove(id);
    throw fault('PROBE_LINE_REFUSED', { line: plan.line, file, reason: refused });
  }

  /** Sends all breakpoints of a file: the protocol has no way to add one. Gives a refusal. */
  #sync(file: string, line?: number): Promise<string | undefined> {
    const update = this.#updates.then(async () => {
      const inFile = [...this.#instruments.values()].filter((one) => one.file === file);
      const lines = [...new Set(inFile.map(({ plan }) => plan.line))];
      const breakpoints = lines.map((number) => {
        const ids = inFile.filter(({ plan }) => plan.line === number).map(({ id }) => id);
        return { line: number, ...TargetModule.breakpointOf(ids, this.#mark) };
      });
      const request = { source: { path: file }, breakpoints };
      const answer = await this.#session.client.request('setBreakpoints', request);
      const set = (answer.breakpoints ?? []) as DapBody[];
      return line === undefined ? undefined : refusalOf(set[lines.indexOf(line)], line);
    });
    this.#updates = update.catch(() => {});
    return update;
  }

  #receive({ output }: DapBody): void {
    const text = String(output);
    if (!text.startsWith(this.#mark)) return;
    const captures = JSON.parse(text.slice(this.#mark.length)) as (DapBody & RawPythonCapture)[];
    for (const raw of captures) {
      const active = this.#instruments.get(raw.probe);
      if (!active) continue;
      const { totals } = active;
      active.totals = { ...totals, captured: raw.hit, matched: Math.max(totals.matched, raw.hit) };
      const capture = toCapture({ ...raw, at: raw.atMs }, active.plan);
      active.listener.captured({ captures: [capture], summary: summaryOf(active.totals) });
      if (raw.hit >= active.plan.hitsMax) void this.#end(active, 'hits');
    }
  }

  async #reportTotals(id: number): Promise<void> {
    const active = this.#instruments.get(id);
    if (!active) return;
    const totals = await this.#module.totals(id).catch(() => active.totals);
    if (totals.hits === active.totals.hits) return;
    active.totals = totals;
    active.listener.captured({ captures: [], summary: summaryOf(totals) });
    const isFull = active.plan.kind === 'counter' && totals.matched >= active.plan.hitsMax;
    if (isFull && this.#instruments.has(id)) await this.#end(active, 'hits');
  }

  async #end(active: ActiveInstrument, reason: 'hits'): Promise<void> {
    if (!this.#instruments.has(active.id)) return;
    await this.#remove(active.id);
    active.listener.ended(reason);
  }

  async #remove(id: number): Promise<Residue> {
    const active = this.#instruments.get(id);
    const others = { inspector: 'closed', agent: 'in use by other probes' } as const;
    if (!active) return { breakpoints: 'none', ...others };
    await this.#reportTotals(id);
    this.#instruments.delete(id);
    clearInterval(active.timer);
    const isGone = await this.#sync(active.file).then(
      () => true,
      () => false,
    );
    await this.#module.remove(id).catch(() => {});
    return { breakpoints: isGone ? 'none' : 'unknown', ...others };
  }

  async detach(): Promise<Residue> {
    for (const id of [...this.#instruments.keys()]) await this.#remove(id);
    const { client, adapter } = this.#session;
    const isUnloaded = await this.#module.unload().catch(() => false);
    await client
      .request('disconnect', { restart: false, terminateDebuggee: false })
      .catch(() => {});
    client.close();
    if (adapter) await reapAdapter(adapter, dapLimits.dapDetachMsMax);
    return this.#residue(isUnloaded);
  }

  async #residue(isUnloaded: boolean): Promise<Residue> {
    const condition = await readConditionAfter(this.#target);
    if (condition === 'gone') {
      const gone = 'gone with its process';
      return { breakpoints: gone, inspector: gone, agent: gone };
    }
    const threads = (await countThreads(this.#target.pid)) - this.#threadsBefore;
    const isInjected = this.#session.adapter !== undefined;
    const notes = [
      ...condition,
      ...(isInjected ? ['the modules of debugpy stay loaded until the process ends'] : []),
      ...(threads > 0 ? [`${threads} more thread(s) than before, which may be debugpy's`] : []),
    ];
    return {
      breakpoints: 'none',
      inspector: isInjected ? 'closed' : 'open as it was found',
      agent: isUnloaded ? 'none' : 'unknown',
      notes,
    };
  }

  #endAll(): void {
    const ended = [...this.#instruments.values()];
    this.#instruments.clear();
    for (const { timer } of ended) clearInterval(timer);
    void readConditionAfter(this.#target).then((condition) => {
      const reason = condition === 'gone' ? 'process-ended' : 'connection-lost';
      for (const { listener } of ended) listener.ended(reason);
    });
  }

  async #guard<Result>(work: Promise<Result>): Promise<Result> {
    return work.catch(async (error) => {
      throw await failureFault(error, { target: this.#target, debugger: 'debugpy' });
    });
  }
}

interface RawPythonCapture {
  readonly probe: number;
  readonly atMs: number;
  readonly hit: number;
  readonly values: Parameters<typeof toCapture>[0]['values'];
  readonly stack: Parameters<typeof toCapture>[0]['stack'];
}

function refusalOf(breakpoint: DapBody | undefined, line: number): string | undefined {
  const { verified, line: actual, message } = asBody(breakpoint);
  if (verified !== true) return String(message ?? 'debugpy did not confirm it');
  return actual === line ? undefined : `debugpy would move it to line ${String(actual)}`;
}

function summaryOf({ hits, matched, skipped, errors }: PythonTotals): {
  hits: number;
  evaluated: number;
  estimatedHits: number;
  perSecond: number;
  dropped: number;
  error?: string;
} {
  return {
    hits: matched,
    evaluated: Math.max(hits, matched),
    estimatedHits: Math.max(hits, matched),
    perSecond: 0,
    dropped: skipped,
    ...(errors > 0 ? { error: `the condition could not be read at ${errors} hit(s)` } : {}),
  };
}
