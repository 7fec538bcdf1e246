import type { Json } from '../../kernel/index.ts';
import {
  attributeOwnCalls,
  type Hop,
  type Lane,
  type Meter,
  type Routes,
} from '../../lanes/index.ts';
import { openProcessGauge, type ProcessGauge, type ProcessReading } from '../../probes/index.ts';
import { textFormatOf } from '../compare/index.ts';
import { isError, type ScenarioStep } from '../measure/index.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { carryInto, type ScenarioRequest, ScenarioSender, textOf } from '../traffic/index.ts';
import { leavesOf } from './json-leaves.ts';

/** One request under load. */
export interface LoadSample {
  readonly id: string;
  readonly request: ScenarioRequest;
  readonly ms: number;
  readonly isError: boolean;
  /** Words and truth values of its answer: `status=accepted`. */
  readonly words: readonly string[];
}

/** The answer to one of several concurrent requests. */
export interface ConcurrentAnswer {
  readonly id: string;
  readonly status: number;
  readonly body: Json;
}

interface ConcurrentAnswers {
  /** All texts that both sides exchanged up to and including the request. */
  readonly texts: readonly string[];
  readonly answers: readonly ConcurrentAnswer[];
}

interface PreparedRequest extends Pick<ConcurrentAnswers, 'texts'> {
  readonly last: ScenarioRequest | null;
}

/** The processes of the changed services, in their order. */
export interface ProcessStates {
  readonly residentBytes: readonly number[];
  /** By a debugger inside the process; null if it has none. */
  readonly readings: readonly (ProcessReading | null)[];
}

interface ArmResources {
  readonly sender: ScenarioSender;
  readonly meter: Meter;
  readonly gauges: readonly (ProcessGauge | null)[];
}

function textsIn(body: Json): string {
  return leavesOf(body)
    .map(([, value]) => String(value))
    .join('\n');
}

/** Of the first values of an answer; a long list repeats them. */
const wordsMax = 40;

function wordsIn(body: Json): string[] {
  return leavesOf(body)
    .filter(([, value]) => typeof value === 'boolean' || isPlainWord(value))
    .slice(0, wordsMax)
    .map(([place, value]) => `${place}=${value}`);
}

function isPlainWord(value: Json): boolean {
  return typeof value === 'string' && textFormatOf(value) === 'word' && !/\d/.test(value);
}

/** One version under load. */
export class LoadArm {
  readonly lane: Lane;
  readonly #routes: Routes;
  readonly #resources: ArmResources;
  #lastHop = 0;
  #sent = 0;

  private constructor(lane: Lane, resources: ArmResources, routes: Routes) {
    this.lane = lane;
    this.#resources = resources;
    this.#routes = routes;
  }

  static async open(
    lane: Lane,
    services: readonly string[],
    { routes, host }: Pick<VerifyContext, 'routes' | 'host'>,
  ): Promise<LoadArm> {
    const names = services.map(
      (service) => lane.candidates.find((one) => one.service === service)?.name ?? '',
    );
    const sender = new ScenarioSender(await routes.address(), lane.lane, Number.POSITIVE_INFINITY);
    const meter = await host.meter(names);
    const gauges = await Promise.all(meter.read().map(({ pids }) => openProcessGauge(pids)));
    return new LoadArm(lane, { sender, meter, gauges }, routes);
  }

  get sent(): number {
    return this.#sent;
  }

  /** One client that runs a scenario; steps that need a failed answer are left out. */
  async runSession(
    steps: readonly ScenarioStep[],
    isLate: () => boolean = () => false,
  ): Promise<LoadSample[]> {
    const answers = new Map<number, Json>();
    const samples: LoadSample[] = [];
    for (const { request, number, carried } of steps) {
      const filled = carryInto(request, carried, answers);
      if (!filled) continue;
      if (isLate()) break;
      const { id, status, ms, body } = await this.send(filled);
      answers.set(number, body);
      const isFailed = isError(status, request.status);
      samples.push({ id, request, ms, isError: isFailed, words: isFailed ? [] : wordsIn(body) });
    }
    return samples;
  }

  /** Sends all steps but the last. Returns that one with what it needs, or null without that. */
  async prepare(steps: readonly ScenarioStep[]): Promise<ScenarioRequest | null> {
    return (await this.#prepare(steps)).last;
  }

  async #prepare(steps: readonly ScenarioStep[]): Promise<PreparedRequest> {
    const answers = new Map<number, Json>();
    const texts: string[] = [];
    for (const { request, number, carried } of steps.slice(0, -1)) {
      const filled = carryInto(request, carried, answers);
      if (!filled) continue;
      const { body } = await this.send(filled);
      answers.set(number, body);
      texts.push(textOf(filled), textsIn(body));
    }
    const last = steps.at(-1);
    return { last: (last && carryInto(last.request, last.carried, answers)) ?? null, texts };
  }

  /** Sends the last of these steps so many times at the same moment. */
  async sendConcurrently(
    steps: readonly ScenarioStep[],
    times: number,
  ): Promise<ConcurrentAnswers> {
    const { last, texts } = await this.#prepare(steps);
    if (!last) return { texts, answers: [] };
    const sent = Array.from({ length: times }, () => this.send(last));
    return { texts: [...texts, textOf(last)], answers: await Promise.all(sent) };
  }

  async send(request: ScenarioRequest): Promise<ConcurrentAnswer & { readonly ms: number }> {
    const id = `${this.lane.lane}-load-${++this.#sent}`;
    return { id, ...(await this.#resources.sender.send(request, id)) };
  }

  /** The new hops, as far as the router still has them, without bodies. */
  async newHops(): Promise<readonly Hop[]> {
    const hops = await this.wholeHops();
    return hops.map((hop) => ({ ...hop, requestBody: null, responseBody: null }));
  }

  /** The same with bodies, which are too large to keep for many requests. */
  async wholeHops(): Promise<readonly Hop[]> {
    const hops = await this.#routes.hops(this.lane.lane, this.#lastHop);
    this.#lastHop = hops.at(-1)?.n ?? this.#lastHop;
    return attributeOwnCalls(hops);
  }

  /** CPU time of the changed services so far. */
  cpuNs(): number[] {
    return this.#resources.meter.read().map((reading) => reading.cpuNs);
  }

  async processes(): Promise<ProcessStates> {
    const { meter, gauges } = this.#resources;
    const residentBytes = meter.read().map((reading) => reading.residentBytes);
    return { residentBytes, readings: await Promise.all(gauges.map((one) => one?.read() ?? null)) };
  }

  async close(): Promise<void> {
    const { sender, gauges } = this.#resources;
    sender.close();
    await Promise.all(gauges.map((one) => one?.close()));
  }
}
