import { sha256 } from '../../kernel/index.ts';

/** What the daemon tells about the system, so that rows can say it in its words. */
export interface SystemNamesUpdate {
  /** Services by the `host:port` at which they are called. */
  readonly peers?: Readonly<Record<string, string>>;
  /** Keys of lanes that are open. */
  readonly lanes?: readonly string[];
}

export class KnownNames {
  #peers = new Map<string, string>();
  #lanes = new Map<string, string>();

  tell({ peers, lanes }: SystemNamesUpdate): void {
    if (peers) this.#peers = new Map(Object.entries(peers));
    // Those of lanes that were closed stay: their last spans come after their end.
    for (const lane of lanes ?? []) this.learnLane(lane);
  }

  service(address: string): string {
    return this.#peers.get(address) ?? '';
  }

  learnLane(lane: string): void {
    if (this.#lanes.size > lanesMax) this.#lanes.clear();
    this.#lanes.set(traceNumber(lane), lane);
  }

  /** The lane that has this number in trace ids. */
  laneOfNumber(number: string): string {
    return this.#lanes.get(number) ?? '';
  }
}

const lanesMax = 10_000;

/** As lanes give it to the router. */
function traceNumber(lane: string): string {
  return sha256(lane).slice(0, 8);
}
