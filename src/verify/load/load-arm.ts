import type { Json } from '../../kernel/index.ts';
import type { Hop, Lane, Meter, Routes } from '../../lanes/index.ts';
import { openProcessGauge, type ProcessGauge, type ProcessReading } from '../../probes/index.ts';
import { isError, type Step } from '../measure/index.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { carryInto, type ScenarioRequest, Sender, textOf } from '../traffic/index.ts';
import { leavesOf } from './leaves.ts';

/** One request under load. */
export interface LoadSample {
  readonly id: string;
  readonly request: ScenarioRequest;
  readonly ms: number;
  readonly isError: boolean;
}

/** What one of several requests that were sent at once was answered. */
export interface AnswerAtOnce {
  readonly id: string;
  readonly status: number;
  readonly body: Json;
}

interface SentAtOnce {
  /** All that was said by then on either side, each time the same. */
  readonly said: readonly string[];
  readonly answers: readonly AnswerAtOnce[];
}

interface Prepared extends Pick<SentAtOnce, 'said'> {
  readonly last: ScenarioRequest | null;
}

/** How the changed services are, by their order. */
export interface Held {
  readonly residentBytes: readonly number[];
  /** As they tell themselves; null where a service can't be asked. */
  readonly told: readonly (ProcessReading | null)[];
}

interface Opened {
  readonly sender: Sender;
  readonly meter: Meter;
  readonly gauges: readonly (ProcessGauge | null)[];
}

function textsIn(body: Json): string {
  return leavesOf(body)
    .map(([, value]) => String(value))
    .join('\n');
}

/** One version under load. */
export class LoadArm {
  readonly lane: Lane;
  readonly #routes: Routes;
  readonly #opened: Opened;
  #lastHop = 0;
  #sent = 0;

  private constructor(lane: Lane, opened: Opened, routes: Routes) {
    this.lane = lane;
    this.#opened = opened;
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
    const sender = new Sender(await routes.address(), lane.lane, Number.POSITIVE_INFINITY);
    const meter = await host.meter(names);
    const gauges = await Promise.all(meter.read().map(({ pids }) => openProcessGauge(pids)));
    return new LoadArm(lane, { sender, meter, gauges }, routes);
  }

  get sent(): number {
    return this.#sent;
  }

  /** One client that goes through a scenario; what follows from an answer that failed is left. */
  async runSession(
    steps: readonly Step[],
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
      samples.push({ id, request, ms, isError: isError(status, request.status) });
    }
    return samples;
  }

  /** Sends those before it; the last of these steps with what it needs, or null without that. */
  async prepare(steps: readonly Step[]): Promise<ScenarioRequest | null> {
    return (await this.#prepare(steps)).last;
  }

  async #prepare(steps: readonly Step[]): Promise<Prepared> {
    const answers = new Map<number, Json>();
    const said: string[] = [];
    for (const { request, number, carried } of steps.slice(0, -1)) {
      const filled = carryInto(request, carried, answers);
      if (!filled) continue;
      const { body } = await this.send(filled);
      answers.set(number, body);
      said.push(textOf(filled), textsIn(body));
    }
    const last = steps.at(-1);
    return { last: (last && carryInto(last.request, last.carried, answers)) ?? null, said };
  }

  /** The last of these steps so many times at the same moment. */
  async sendAtOnce(steps: readonly Step[], times: number): Promise<SentAtOnce> {
    const { last, said } = await this.#prepare(steps);
    if (!last) return { said, answers: [] };
    const sent = Array.from({ length: times }, () => this.send(last));
    return { said: [...said, textOf(last)], answers: await Promise.all(sent) };
  }

  async send(request: ScenarioRequest): Promise<AnswerAtOnce & { readonly ms: number }> {
    const id = `${this.lane.lane}-load-${++this.#sent}`;
    return { id, ...(await this.#opened.sender.send(request, id)) };
  }

  /** As many of the latest as the router still has. */
  async newHops(): Promise<readonly Hop[]> {
    const hops = await this.wholeHops();
    return hops.map((hop) => ({ ...hop, requestBody: null, responseBody: null }));
  }

  /** The same with what was said; so much is not to be kept of many. */
  async wholeHops(): Promise<readonly Hop[]> {
    const hops = await this.#routes.hops(this.lane.lane, this.#lastHop);
    this.#lastHop = hops.at(-1)?.n ?? this.#lastHop;
    return hops;
  }

  /** What the changed services have used of CPUs so far. */
  cpuNs(): number[] {
    return this.#opened.meter.read().map((reading) => reading.cpuNs);
  }

  async held(): Promise<Held> {
    const { meter, gauges } = this.#opened;
    const residentBytes = meter.read().map((reading) => reading.residentBytes);
    return { residentBytes, told: await Promise.all(gauges.map((one) => one?.read() ?? null)) };
  }

  async close(): Promise<void> {
    const { sender, gauges } = this.#opened;
    sender.close();
    await Promise.all(gauges.map((one) => one?.close()));
  }
}
