import { setTimeout as delay } from 'node:timers/promises';
import type { Json } from '../../kernel/index.ts';
import type { Hop, Lane, Meter, Routes } from '../../lanes/index.ts';
import type { VerifyContext } from '../pipeline/context.ts';
import { type ScenarioRequest, ScenarioSender } from '../traffic/index.ts';
import type { RequestSample } from './sample.ts';

const looksMax = 20;
const lookEveryMs = 5;

type ArmContext = Pick<VerifyContext, 'routes' | 'host'>;

/** One version while it is measured: its requests, their cost and their hops. */
export class Arm {
  readonly lane: Lane;
  readonly hops: Hop[] = [];
  /** The answers of the current scenario, by the number of the request. */
  readonly answers = new Map<number, Json>();
  readonly #routes: Routes;
  readonly #sender: ScenarioSender;
  readonly #meter: Meter;
  #cpuNs: readonly number[];
  #lastHop: number;
  #sent = 0;

  private constructor(
    lane: Lane,
    { sender, meter, lastHop }: { sender: ScenarioSender; meter: Meter; lastHop: number },
    routes: Routes,
  ) {
    this.lane = lane;
    this.#routes = routes;
    this.#sender = sender;
    this.#meter = meter;
    this.#lastHop = lastHop;
    this.#cpuNs = meter.read().map(({ cpuNs }) => cpuNs);
  }

  /** `services`: those whose CPU time is read; the lane has its own copy of each. */
  static async open(lane: Lane, services: readonly string[], context: ArmContext): Promise<Arm> {
    const names = services.map(
      (service) => lane.candidates.find((one) => one.service === service)?.name ?? '',
    );
    const { host, routes } = context;
    const meter = await host.meter(names);
    const earlier = await routes.hops(lane.lane);
    const sender = new ScenarioSender(await routes.address(), lane.lane);
    return new Arm(lane, { sender, meter, lastHop: earlier.at(-1)?.n ?? 0 }, routes);
  }

  /** CPU time since the last request counts, so that work after an answer is included. */
  async send(request: ScenarioRequest, number: number): Promise<RequestSample> {
    const id = `${this.lane.lane}-${++this.#sent}`;
    const { status, body } = await this.#sender.send(request, id);
    this.answers.set(number, body);
    const now = this.#meter.read().map(({ cpuNs }) => cpuNs);
    const cpuUs = now.map((ns, index) => (ns - (this.#cpuNs[index] ?? 0)) / 1_000);
    this.#cpuNs = now;
    return { id, status, cpuUs };
  }

  /** Before the router drops them. It records the last request a little later than we see it. */
  async readHops(): Promise<void> {
    const last = `${this.lane.lane}-${this.#sent}`;
    for (let look = 0; look < looksMax; look++) {
      await this.#readHops();
      if (this.hops.some(({ requestId, from }) => from === null && requestId === last)) return;
      await delay(lookEveryMs);
    }
  }

  async #readHops(): Promise<void> {
    const fresh = await this.#routes.hops(this.lane.lane, this.#lastHop);
    this.#lastHop = fresh.at(-1)?.n ?? this.#lastHop;
    // Bodies are not needed here, and there are many.
    for (const hop of fresh) this.hops.push({ ...hop, requestBody: null, responseBody: null });
  }

  close(): void {
    this.#sender.close();
  }
}
