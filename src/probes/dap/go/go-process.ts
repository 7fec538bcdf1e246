import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Clock, fault } from '../../../kernel/index.ts';
import type {
  AttachedProcess,
  Instrument,
  InstrumentEnd,
  InstrumentListener,
  InstrumentPlan,
  Place,
  ProcessFacts,
  ReadOnlyProof,
  Residue,
} from '../../port.ts';
import {
  checkDapPlan,
  type DapPlan,
  describePlace,
  type RawCapture,
  startedAt,
  toCapture,
} from '../dap-plan.ts';
import { type DebugTarget, readConditionAfter } from '../debug-target.ts';
import { failureFault } from '../failure.ts';
import { dapLimits } from '../limits.ts';
import { reapAdapter } from '../wire/adapter-process.ts';
import { asBody, type DapBody } from '../wire/client.ts';
import { findBreakpointBytes, restoreCode } from './code-bytes.ts';
import type { DelveSession } from './connect.ts';
import { readGoValue } from './go-values.ts';

interface ActiveInstrument {
  readonly id: number;
  readonly plan: DapPlan;
  readonly file: string;
  readonly listener: InstrumentListener;
  /** Delve's number for it. */
  breakpoint: number | undefined;
  hits: number;
  captured: number;
  skipped: number;
  share: number;
  second: number;
  inSecond: number;
}

/** Measured: delve stops the process while it reads the debug information. */
const cost = { attachMs: 2_000, perHitMs: 2 };
const separator = '\u241f';

/** A Go process with delve attached. Each hit stops it for as long as delve needs to read. */
export class GoProcess implements AttachedProcess {
  readonly facts: ProcessFacts;
  readonly stallMs: number = cost.attachMs;
  readonly readOnly: ReadOnlyProof = {
    beforePlacement: 'names, fields, indexes, literals and comparisons only',
    inTarget: 'read from outside by delve, which executes nothing in the process',
    selfTest: { expressions: 0, mutations: 0 },
  };
  readonly #target: DebugTarget;
  readonly #session: DelveSession;
  readonly #clock: Clock;
  readonly #mark: string;
  readonly #instruments = new Map<number, ActiveInstrument>();
  #lastId = 0;
  #isDetaching = false;
  #updates: Promise<unknown> = Promise.resolve();

  constructor(target: DebugTarget, session: DelveSession, clock: Clock) {
    this.#target = target;
    this.#session = session;
    this.#clock = clock;
    const text = `${target.pid} ${target.startTicks}`;
    this.#mark = `surety-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
    this.facts = { pid: target.pid, startTicks: target.startTicks, runtime: 'go' };
    session.client.on('output', (body) => this.#receive(body));
    session.client.on('stopped', (body) => void this.#pause(body));
    // Delve stays when the process has ended, and would wait for another one.
    session.client.on('terminated', () => session.client.close());
    void session.client.closed.then(() => this.#lose());
  }

  async check(plan: InstrumentPlan): Promise<{ place: Place; cost: typeof cost }> {
    const instrument = await this.place(plan, { captured: () => {}, ended: () => {} });
    await instrument.remove();
    return { place: instrument.place, cost };
  }

  async place(plan: InstrumentPlan, listener: InstrumentListener): Promise<Instrument> {
    const checked = checkDapPlan(plan, 'Go');
    const file = this.#findFile(checked);
    const id = ++this.#lastId;
    const counts = { hits: 0, captured: 0, skipped: 0, share: 0, second: 0, inSecond: 0 };
    const active = { id, plan: checked, file, listener, breakpoint: undefined, ...counts };
    await this.#arm(active).catch(async (error) => {
      throw await failureFault(error, { target: this.#target, debugger: 'delve' });
    });
    const startedMs = await startedAt(this.#target);
    const name = await functionAround(file, checked.line);
    const place = await describePlace({ file, line: checked.line, function: name, startedMs });
    return { place, cost, remove: () => this.#remove(id) };
  }

  #findFile({ file }: DapPlan): string {
    const { sources } = this.#session;
    const found = sources.filter((path) => path === file || path.endsWith(`/${file}`));
    const [path] = found;
    if (path !== undefined && found.length === 1) return path;
    const name = file.slice(file.lastIndexOf('/') + 1);
    const near = sources.filter((one) => one.endsWith(`/${name}`)).slice(0, 5);
    const candidates = near.join(', ') || 'no file of this name is in it';
    const { pid } = this.#target;
    throw fault('PROBE_SCRIPT_NOT_FOUND', { count: found.length, pid, file, candidates });
  }

  async #arm(active: ActiveInstrument): Promise<void> {
    const { file, plan } = active;
    const isTaken = [...this.#instruments.values()].some(
      (one) => one.file === file && one.plan.line === plan.line,
    );
    const taken = 'another probe is at this line, and delve allows one';
    if (isTaken) throw fault('PROBE_LINE_REFUSED', { line: plan.line, file, reason: taken });
    this.#instruments.set(active.id, active);
    const answer = asBody((await this.#sync(file)).get(active.id));
    const isThere = answer.verified === true && answer.line === plan.line;
    if (isThere) return;
    await this.#remove(active.id);
    const reason = String(answer.message ?? `delve would move it to line ${String(answer.line)}`);
    throw fault('PROBE_LINE_REFUSED', { line: plan.line, file, reason });
  }

  /** Sends all breakpoints of a file: the protocol has no way to add one. */
  #sync(file: string): Promise<ReadonlyMap<number, DapBody>> {
    const update = this.#updates.then(async () => {
      const inFile = [...this.#instruments.values()].filter((one) => one.file === file);
      const breakpoints = inFile.map((one) => this.#breakpointOf(one));
      const request = { source: { path: file }, breakpoints };
      const answer = await this.#session.client.request('setBreakpoints', request);
      const set = (answer.breakpoints ?? []) as DapBody[];
      for (const [index, one] of inFile.entries()) one.breakpoint = Number(set[index]?.id);
      return new Map(inFile.map(({ id }, index) => [id, asBody(set[index])]));
    });
    this.#updates = update.catch(() => {});
    return update;
  }

  #breakpointOf({ id, plan }: ActiveInstrument): object {
    const condition = plan.condition ? { condition: plan.condition.text } : {};
    if (plan.kind === 'snapshot') return { line: plan.line, ...condition };
    const values = plan.expressions.map(({ text }) => `{${text}}`);
    const logMessage = [this.#mark, id, ...values].join(separator);
    return { line: plan.line, ...condition, logMessage };
  }

  /** `> [Go 5]: mark␟id␟value␟value` */
  #receive({ output }: DapBody): void {
    const text = String(output);
    const start = text.indexOf(`${this.#mark}${separator}`);
    if (start === -1) return;
    const [, id, ...values] = text.slice(start).trimEnd().split(separator);
    const active = this.#instruments.get(Number(id));
    if (!active) return;
    const seen = active.plan.expressions.map(
      ({ text: name }, index) => [name, readGoValue(values[index] ?? '')] as const,
    );
    const frame = { function: '', file: active.file, line: active.plan.line };
    this.#record(active, { values: seen, stack: [frame] });
  }

  #record(active: ActiveInstrument, seen: Pick<RawCapture, 'values' | 'stack'>): void {
    const { plan, listener } = active;
    const at = this.#clock.now();
    active.hits += 1;
    this.#countStop(active, at);
    const isCaptured = plan.kind !== 'counter' && this.#mayCapture(active);
    if (isCaptured) active.captured += 1;
    const raw = { at, hit: active.captured, ...seen };
    const captures = isCaptured ? [toCapture(raw, plan)] : [];
    listener.captured({ captures, summary: summaryOf(active) });
    const reached = plan.kind === 'counter' ? active.hits : active.captured;
    if (reached >= plan.hitsMax) void this.#end(active, 'hits');
  }

  /** Each hit of a line stops the whole process: a hot one is left alone. */
  #countStop(active: ActiveInstrument, at: number): void {
    const second = Math.floor(at / 1_000);
    active.inSecond = active.second === second ? active.inSecond + 1 : 1;
    active.second = second;
    if (active.inSecond > dapLimits.dapStopsPerSecondMax) void this.#end(active, 'breaker');
  }

  #mayCapture(active: ActiveInstrument): boolean {
    active.share += active.plan.sampleRate;
    const isSampled = active.share >= 1;
    if (isSampled) active.share -= 1;
    const isWithin = active.inSecond <= dapLimits.dapCapturesPerSecondMax;
    if (!isSampled || !isWithin) active.skipped += 1;
    return isSampled && isWithin;
  }

  /** A snapshot's hit. Whatever happens, the process goes on. */
  async #pause({ threadId, hitBreakpointIds, reason }: DapBody): Promise<void> {
    if (reason === 'pause' || this.#isDetaching) return;
    const { client } = this.#session;
    const hit = new Set(Array.isArray(hitBreakpointIds) ? hitBreakpointIds.map(Number) : []);
    const active = [...this.#instruments.values()].find(
      ({ breakpoint }) => breakpoint !== undefined && hit.has(breakpoint),
    );
    try {
      if (active) this.#record(active, await this.#readFrame(active, threadId));
    } catch {
      if (active) active.skipped += 1;
    } finally {
      await client.request('continue', { threadId }).catch(() => {});
    }
  }

  async #readFrame(
    { plan }: ActiveInstrument,
    threadId: unknown,
  ): Promise<Pick<RawCapture, 'values' | 'stack'>> {
    const { client } = this.#session;
    const levels = dapLimits.dapFramesMax;
    const trace = await client.request('stackTrace', { threadId, startFrame: 0, levels });
    const frames = (trace.stackFrames ?? []) as DapBody[];
    const frameId = frames[0]?.id;
    const read = await Promise.all(
      plan.expressions.map(async ({ text }) => {
        const question = { expression: text, frameId, context: 'watch' };
        const answer = await client.request('evaluate', question).catch((error: Error) => error);
        if (answer instanceof Error) return [text, { error: answer.message }] as const;
        return [text, readGoValue(String(answer.result), String(answer.type))] as const;
      }),
    );
    const stack = frames.slice(0, levels).map((frame) => ({
      function: String(frame.name),
      file: String(asBody(frame.source).path ?? ''),
      line: Number(frame.line),
    }));
    return { values: [...read, ...(await this.#readLocals(frameId))], stack };
  }

  async #readLocals(frameId: unknown): Promise<RawCapture['values']> {
    const { client } = this.#session;
    const scopes = ((await client.request('scopes', { frameId })).scopes ?? []) as DapBody[];
    const reference = scopes.find(({ name }) => /^Locals/.test(String(name)))?.variablesReference;
    if (reference === undefined) return [];
    const answer = await client.request('variables', { variablesReference: reference });
    const variables = ((answer.variables ?? []) as DapBody[]).slice(0, dapLimits.dapLocalsMax);
    return variables.map(
      ({ name, value, type }) => [String(name), readGoValue(String(value), String(type))] as const,
    );
  }

  async #end(active: ActiveInstrument, reason: InstrumentEnd): Promise<void> {
    if (!this.#instruments.has(active.id)) return;
    await this.#remove(active.id);
    active.listener.ended(reason);
  }

  async #remove(id: number): Promise<Residue> {
    const active = this.#instruments.get(id);
    this.#instruments.delete(id);
    const isGone = !active || (await this.#sync(active.file).catch(() => undefined)) !== undefined;
    const breakpoints = isGone ? 'none' : 'unknown';
    return { breakpoints, inspector: 'closed', agent: 'in use by other probes' };
  }

  async detach(): Promise<Residue> {
    for (const id of [...this.#instruments.keys()]) await this.#remove(id);
    this.#isDetaching = true;
    const { client, adapter } = this.#session;
    await client
      .request('disconnect', { restart: false, terminateDebuggee: false })
      .catch(() => {});
    client.close();
    await reapAdapter(adapter, dapLimits.dapDetachMsMax);
    return this.#residue();
  }

  async #residue(): Promise<Residue> {
    const condition = await readConditionAfter(this.#target);
    if (condition === 'gone') {
      const gone = 'gone with its process';
      return { breakpoints: gone, inspector: gone, agent: gone };
    }
    // Read again in the code of the process, not taken from what delve says.
    const left = await findBreakpointBytes(this.#target.pid);
    const breakpoints = left?.length === 0 ? 'none' : 'unknown';
    const notes = condition.length > 0 ? { notes: condition } : {};
    return { breakpoints, inspector: 'closed', agent: 'none', ...notes };
  }

  /** Delve died: its breakpoints would end the process, so the code is put back at once. */
  async #lose(): Promise<void> {
    const ended = [...this.#instruments.values()];
    this.#instruments.clear();
    if (!this.#isDetaching) {
      await this.#session.adapter.ended;
      await restoreCode(this.#target.pid);
    }
    const condition = await readConditionAfter(this.#target);
    const reason = condition === 'gone' ? 'process-ended' : 'connection-lost';
    for (const { listener } of ended) listener.ended(reason);
  }
}

function summaryOf({ hits, skipped }: ActiveInstrument): {
  hits: number;
  evaluated: number;
  estimatedHits: number;
  perSecond: number;
  dropped: number;
} {
  return { hits, evaluated: hits, estimatedHits: hits, perSecond: 0, dropped: skipped };
}

/** The declaration before a line, in source that gofmt has formatted. */
async function functionAround(file: string, line: number): Promise<string> {
  const source = await readFile(file, 'utf8').catch(() => '');
  const before = source.split('\n').slice(0, line).reverse();
  const declaration = before.find((text) => /^func /.test(text)) ?? '';
  const [, receiver, name = ''] = /^func (?:\(\w* ?\*?(\w+)[^)]*\) )?(\w+)/.exec(declaration) ?? [];
  return receiver ? `${receiver}.${name}` : name;
}
