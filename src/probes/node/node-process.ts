import { setTimeout as delay } from 'node:timers/promises';
import {
  type Clock,
  fault,
  isJsonObject,
  type Json,
  type JsonObject,
  redactSecrets,
  redactText,
} from '../../kernel/index.ts';
import type { Capture } from '../api-schema.ts';
import {
  type LineRange,
  type ObservablePoint,
  observablePoints,
} from '../context/observable-points.ts';
import { predictCost, predictStallMs } from '../cost.ts';
import type { ProbeExpression } from '../expression/check.ts';
import { formatMessage } from '../expression/format-message.ts';
import { probeLimits } from '../limits.ts';
import {
  type Code,
  type CodeReader,
  findCode,
  isLoaded,
  type Location,
} from '../placement/code.ts';
import { compilePoints } from '../placement/points.ts';
import { type Script, scriptOf } from '../placement/script.ts';
import { checkSource, describePlace, findSite, type Site } from '../placement/site.ts';
import type {
  AttachedProcess,
  CaptureBatch,
  Instrument,
  InstrumentListener,
  InstrumentPlan,
  Place,
  PredictedCost,
  ProcessFacts,
  ReadOnlyProof,
  Residue,
} from '../port.ts';
import { isStill } from '../target/process-facts.ts';
import type { Attachment } from './attach.ts';
import { toFrame, toObservation } from './captured-value.ts';
import { exceptionSpec } from './exception-spec.ts';
import { isListening } from './inspector-port.ts';
import { ThreadConnection } from './thread-connection.ts';

interface PlacedInstrument {
  readonly id: number;
  readonly plan: InstrumentPlan;
  readonly names: readonly ProbeExpression[];
  readonly listener: InstrumentListener;
  readonly code: Code;
  isOver: boolean;
}

/** A Node process with our agent in it. */
export class NodeProcess implements AttachedProcess {
  readonly facts: ProcessFacts;
  readonly readOnly: ReadOnlyProof;
  readonly stallMs: number;
  readonly #attachment: Attachment;
  readonly #clock: Clock;
  readonly #placed = new Map<number, PlacedInstrument>();
  readonly #maps = new Map<string, Code>();
  readonly #threads = new Map<string, NodeProcess>();
  #scripts: readonly Script[] = [];
  #scriptCount = -1;
  /** Probes that wait for a file. */
  #waiting = 0;
  #lastId = 0;

  constructor(attachment: Attachment, readOnly: ReadOnlyProof, clock: Clock) {
    const { target, version, agent, thread } = attachment;
    this.#attachment = attachment;
    this.#clock = clock;
    this.readOnly = readOnly;
    this.stallMs = predictStallMs(attachment.scripts);
    const runtime = `node ${version}${thread === undefined ? '' : `, thread ${thread}`}`;
    this.facts = { pid: target.pid, startTicks: target.startTicks, runtime };
    agent.listen((event) => this.#receive(event));
    agent.lost.then(() => this.#lose());
  }

  get isLost(): boolean {
    return this.#attachment.agent.isLost;
  }

  /** How many probes are in it. */
  get size(): number {
    return this.#placed.size;
  }

  /** Those that run now. A thread that starts later is found by the next probe. */
  async threads(): Promise<readonly AttachedProcess[]> {
    const { agent, target } = this.#attachment;
    const found = (await agent.call('threads')) as unknown as readonly FoundThread[];
    for (const { thread, number, scripts } of found) {
      if (this.#threads.has(thread)) continue;
      const own = new ThreadConnection(agent, target.pid, thread);
      own.lost.then(() => this.#threads.delete(thread));
      const attachment = { ...this.#attachment, agent: own, scripts, thread: number };
      this.#threads.set(thread, new NodeProcess(attachment, this.readOnly, this.#clock));
    }
    return [...this.#threads.values()];
  }

  async check(plan: InstrumentPlan): Promise<{ place: Place; cost: PredictedCost }> {
    const { code, site } = await this.#find(plan);
    const place = describePlace(code, site, plan);
    await this.#compile(plan, code, site, 0);
    return {
      place,
      cost: predictCost(plan, { scripts: this.#scripts.length, script: code.script }),
    };
  }

  async observable(file: string, range: LineRange): Promise<readonly ObservablePoint[]> {
    return observablePoints(await this.#findCode(file), range);
  }

  /** The debugger stays on meanwhile: it is what sees files being loaded. */
  async untilLoaded(file: string, signal: AbortSignal): Promise<boolean> {
    this.#waiting++;
    try {
      for (let count = -1; !signal.aborted; await delay(loadPollMs, undefined, { ref: false })) {
        await this.#readScripts();
        if (count === this.#scriptCount) continue;
        count = this.#scriptCount;
        if (await isLoaded(this.#reader(), file)) return true;
      }
      return false;
    } finally {
      this.#waiting--;
      await this.#restore();
    }
  }

  async place(plan: InstrumentPlan, listener: InstrumentListener): Promise<Instrument> {
    const { pid } = this.facts;
    if (this.#placed.size >= probeLimits.probesPerProcessMax) {
      throw fault('PROBE_TOO_MANY', { pid, max: probeLimits.probesPerProcessMax });
    }
    const { code, site } = await this.#find(plan);
    const cost = predictCost(plan, { scripts: this.#scripts.length, script: code.script });
    const id = ++this.#lastId;
    const { names, place } = await this.#compile(plan, code, site, id);
    const placed: PlacedInstrument = { id, plan, names, listener, code, isOver: false };
    this.#placed.set(id, placed);
    try {
      await place();
    } catch (error) {
      this.#placed.delete(id);
      throw error;
    }
    return { place: describePlace(code, site, plan), cost, remove: () => this.#remove(placed) };
  }

  async detach(): Promise<Residue> {
    const { agent } = this.#attachment;
    await this.#restore();
    const closed = await agent.call('close').catch(() => undefined);
    await Promise.race([agent.lost, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
    agent.cut();
    if (closed === undefined && !(await this.#isThere())) return gone;
    const isGone = isJsonObject(closed) && closed.global === 'undefined';
    return {
      breakpoints: isGone ? 'none' : 'unknown',
      inspector: await this.#lookAtPort(),
      agent: isGone ? 'none' : 'unknown',
    };
  }

  async #find(plan: InstrumentPlan): Promise<{ code: Code; site: Site }> {
    const code = await this.#findCode(plan.file);
    const site = await findSite(this.#reader(), code, plan);
    checkSource(code, site);
    return { code, site };
  }

  async #findCode(file: string): Promise<Code> {
    const reader = this.#reader();
    const known = this.#maps.get(file);
    const scripts = await reader.scripts();
    const isCurrent = known && scripts.some(({ id }) => id === known.script.id);
    const code = isCurrent ? known : await findCode(reader, file);
    this.#maps.set(file, code);
    return code;
  }

  /** What to send for this plan, and how. */
  async #compile(
    plan: InstrumentPlan,
    code: Code,
    site: Site,
    id: number,
  ): Promise<{ names: readonly ProbeExpression[]; place: () => Promise<unknown> }> {
    const { agent, name } = this.#attachment;
    if (plan.kind === 'exception') {
      this.#checkMainThread(plan.kind);
      const spec = exceptionSpec({ id, plan, code, site });
      return { names: plan.expressions, place: () => agent.call('exception', spec) };
    }
    const reader = this.#reader();
    const { spec, names } = await compilePoints({ reader, code, site, plan, agent: name, id });
    return { names, place: () => agent.call('place', spec as unknown as JsonObject) };
  }

  /** Exceptions need a pause, and only that of the main thread is under our control. */
  #checkMainThread(kind: string): void {
    if (this.#attachment.thread === undefined) return;
    throw fault('PROBE_KIND_UNSUPPORTED', { kind, runtime: this.facts.runtime });
  }

  #reader(): CodeReader {
    const { agent } = this.#attachment;
    return {
      pid: this.facts.pid,
      scripts: () => this.#readScripts(),
      source: async ({ id: scriptId }) => String(await agent.call('source', { scriptId })),
      mapUrl: async ({ id: scriptId, map }) =>
        map === 'data:' ? String(await agent.call('map', { scriptId })) : map,
      locations: async ({ id: scriptId }, from, to) => {
        const start = { scriptId, ...from };
        const range = { start, ...(to ? { end: { scriptId, ...to } } : {}) };
        return (await agent.call('locations', range)) as unknown as readonly Location[];
      },
    };
  }

  async #readScripts(): Promise<readonly Script[]> {
    const { agent } = this.#attachment;
    const { scripts: count } = (await agent.call('enable')) as { scripts: number };
    if (count !== this.#scriptCount) {
      this.#scripts = ((await agent.call('scripts')) as readonly JsonObject[]).map(scriptOf);
      this.#scriptCount = count;
    }
    return this.#scripts;
  }

  async #remove(placed: PlacedInstrument): Promise<Residue> {
    const { agent } = this.#attachment;
    const method = placed.plan.kind === 'exception' ? 'removeException' : 'remove';
    await agent.call('tick').then(
      (state) => this.#receiveAll(state),
      () => {},
    );
    const answer = await agent.call(method, { id: placed.id }).catch(() => undefined);
    if (isJsonObject(answer) && isJsonObject(answer.summary))
      this.#report(placed, [], answer.summary);
    placed.isOver = true;
    // Only now: what the worker fetched meanwhile arrives before its answer.
    this.#placed.delete(placed.id);
    await this.#restore();
    if (answer === undefined && !(await this.#isThere())) return gone;
    const isGone = answer !== undefined;
    const isUsed = this.#placed.size > 0;
    return {
      breakpoints: isGone ? 'none' : 'unknown',
      inspector: await this.#lookAtPort(),
      agent: isUsed ? 'in use by other probes' : 'none',
    };
  }

  /** A port that was closed after the attach may be open again. */
  async #lookAtPort(): Promise<Residue['inspector']> {
    const { inspector, target } = this.#attachment;
    if (inspector.end !== 'closed') return inspector.end;
    return (await isListening(target.pid, inspector.port)) ? 'still open' : 'closed';
  }

  /** Without probes the debugger is off, so that nothing is slower than before. */
  async #restore(): Promise<void> {
    if (this.#placed.size > 0 || this.#waiting > 0) return;
    this.#scriptCount = -1;
    this.#maps.clear();
    await this.#attachment.agent.call('idle').catch(() => {});
  }

  /** What the agent had not sent yet. */
  #receiveAll(state: Json): void {
    const events = isJsonObject(state) ? state.events : [];
    for (const text of Array.isArray(events) ? events : []) this.#receive(JSON.parse(String(text)));
  }

  #receive({ event, probe, capture, summary, reason }: JsonObject): void {
    const placed = this.#placed.get(Number(probe));
    if (placed === undefined) return;
    if (event === 'capture' && isJsonObject(capture)) this.#report(placed, [capture]);
    if (event === 'summary' && isJsonObject(summary)) this.#report(placed, [], summary);
    if (event !== 'ended') return;
    if (isJsonObject(summary)) this.#report(placed, [], summary);
    this.#over(placed, reason === 'hits' ? 'hits' : 'breaker');
  }

  #lose(): void {
    for (const placed of [...this.#placed.values()]) {
      this.#isThere().then((isAlive) =>
        this.#over(placed, isAlive ? 'connection-lost' : 'process-ended'),
      );
    }
  }

  /** A thread is gone with its connection, a process a moment later. */
  async #isThere(): Promise<boolean> {
    const { thread, target } = this.#attachment;
    return thread === undefined ? outlives(target) : false;
  }

  #over(placed: PlacedInstrument, reason: Parameters<InstrumentListener['ended']>[0]): void {
    if (placed.isOver) return;
    placed.isOver = true;
    this.#placed.delete(placed.id);
    placed.listener.ended(reason);
  }

  #report(placed: PlacedInstrument, captures: readonly JsonObject[], summary?: JsonObject): void {
    const batch = {
      captures: captures.map((capture) => this.#toCapture(placed, capture)),
      ...(summary ? { summary: redactSecrets(summary) } : {}),
    };
    placed.listener.captured(batch as unknown as CaptureBatch);
  }

  #toCapture({ plan, names, code }: PlacedInstrument, capture: JsonObject): Omit<Capture, 'pid'> {
    const seen = capture.values as readonly Json[];
    const observations = names.map((name, index) => toObservation(seen[index] ?? null, name));
    const entries = names.map(({ text }, index) => [text, observations[index]] as const);
    const { requestId } = plan;
    const shown = requestId ? entries.slice(0, -1) : entries;
    const request = requestId ? observations.at(-1) : undefined;
    const message = plan.template
      ? formatMessage(plan.template, observations)
      : (capture.message as string | undefined);
    return {
      at: this.#clock.now(),
      hit: Number(capture.hit),
      values: Object.fromEntries(shown) as Capture['values'],
      stack: (capture.stack as readonly JsonObject[]).map((frame) => toFrame(frame, code)),
      ...(message === undefined ? {} : { message: redactText(message) }),
      ...(traceIdPattern.test(String(capture.traceId)) ? { traceId: String(capture.traceId) } : {}),
      ...(request && 'value' in request && request.value !== null
        ? { requestId: String(request.value) }
        : {}),
    };
  }
}

interface FoundThread {
  readonly thread: string;
  readonly number: number;
  readonly scripts: number;
}

/** How often a process is asked whether it has loaded more. */
const loadPollMs = 200;
const pollMs = 20;
const lookMs = 1_000;
const traceIdPattern = /^[0-9a-f]{32}$/;

/** A worker thread is gone a moment before its process is. */
async function outlives(target: Attachment['target']): Promise<boolean> {
  const deadline = AbortSignal.timeout(lookMs);
  while (!deadline.aborted) {
    if (!(await isStill(target))) return false;
    await delay(pollMs);
  }
  return true;
}

const gone: Residue = {
  breakpoints: 'gone with its process',
  inspector: 'gone with its process',
  agent: 'gone with its process',
};
