import { sha256 } from '../../kernel/index.ts';

/** The names of services and lanes that the daemon sends, so that rows can contain them. */
export interface SystemNamesUpdate {
  /** Services by the `host:port` at which they are called. */
  readonly peers?: Readonly<Record<string, string>>;
  /** Keys of open lanes. */
  readonly lanes?: readonly string[];
}

export class KnownNames {
  #peers = new Map<string, string>();
  #lanes = new Map<string, string>();

  tell({ peers, lanes }: SystemNamesUpdate): void {
    if (peers) this.#peers = new Map(Object.entries(peers));
    // Closed lanes stay known, because their last spans arrive after their end.
    for (const lane of lanes ?? []) this.learnLane(lane);
  }

  service(address: string): string {
    return this.#peers.get(address) ?? '';
  }

  learnLane(lane: string): void {
    if (this.#lanes.size > lanesMax) this.#lanes.clear();
    this.#lanes.set(traceNumber(lane), lane);
  }

  /** The lane with this number in trace ids. */
  laneOfNumber(number: string): string {
    return this.#lanes.get(number) ?? '';
  }
}

const lanesMax = 10_000;

/** The number that lanes give to the router. */
function traceNumber(lane: string): string {
  return sha256(lane).slice(0, 8);
}
