import type { Json } from '../../kernel/index.ts';
import type { Hop, Host, Lane, Meter, Routes } from '../../lanes/index.ts';
import { isError, type Step } from '../measure/index.ts';
import { carryInto, Sender } from '../traffic/index.ts';

export interface LoadArmDeps {
  readonly routes: Routes;
  readonly host: Pick<Host, 'meter'>;
}

/** One request under load. */
export interface LoadSample {
  readonly id: string;
  readonly ms: number;
  readonly isError: boolean;
}

/** One version under load. */
export class LoadArm {
  readonly lane: Lane;
  readonly #deps: LoadArmDeps;
  readonly #sender: Sender;
  readonly #meter: Meter;
  #lastHop = 0;
  #sent = 0;

  private constructor(lane: Lane, sender: Sender, meter: Meter, deps: LoadArmDeps) {
    this.lane = lane;
    this.#sender = sender;
    this.#meter = meter;
    this.#deps = deps;
  }

  static async open(lane: Lane, services: readonly string[], deps: LoadArmDeps): Promise<LoadArm> {
    const names = services.map(
      (service) => lane.candidates.find((one) => one.service === service)?.name ?? '',
    );
    const sender = new Sender(await deps.routes.address(), lane.lane, Number.POSITIVE_INFINITY);
    return new LoadArm(lane, sender, await deps.host.meter(names), deps);
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
      const id = `${this.lane.lane}-load-${++this.#sent}`;
      const { status, ms, body } = await this.#sender.send(filled, id);
      answers.set(number, body);
      samples.push({ id, ms, isError: isError(status, request.status) });
    }
    return samples;
  }

  /** As many of the latest as the router still has. */
  async newHops(): Promise<readonly Hop[]> {
    const hops = await this.#deps.routes.hops(this.lane.lane, this.#lastHop);
    this.#lastHop = hops.at(-1)?.n ?? this.#lastHop;
    return hops.map((hop) => ({ ...hop, requestBody: null, responseBody: null }));
  }

  residentBytes(): readonly number[] {
    return this.#meter.read().map(({ residentBytes }) => residentBytes);
  }

  close(): void {
    this.#sender.close();
  }
}
