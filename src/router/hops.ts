import { limits } from '../kernel/index.ts';
import type { Hop } from './hop.ts';

interface Ring {
  readonly kept: { readonly hop: Hop; readonly bytes: number }[];
  bytes: number;
}

/** The latest hops of each lane, within bounds. */
export class Hops {
  readonly #rings = new Map<string, Ring>();
  #last = 0;

  record(draft: Omit<Hop, 'n'>): void {
    const hop = { n: ++this.#last, ...draft };
    const ring = this.#rings.get(hop.key) ?? { kept: [], bytes: 0 };
    const bytes = weigh(hop);
    ring.kept.push({ hop, bytes });
    ring.bytes += bytes;
    this.#rings.set(hop.key, ring);
    makeRoom(ring);
  }

  /** The oldest ones after hop `n`, as many as fit into one answer. */
  after(key: string, n: number): Hop[] {
    const kept = this.#rings.get(key)?.kept ?? [];
    const later = kept.filter(({ hop }) => hop.n > n);
    return later.slice(0, limits.routerPageHopsMax).map(({ hop }) => hop);
  }

  forget(key: string): void {
    this.#rings.delete(key);
  }

  /** What ended lanes did can still be read, but not for ever. */
  keepLanes(open: ReadonlySet<string>): void {
    const ended = [...this.#rings.keys()].filter((key) => !open.has(key));
    for (const key of ended.slice(0, -limits.routerEndedLanesMax)) this.forget(key);
  }
}

function makeRoom(ring: Ring): void {
  while (ring.kept.length > limits.laneHopsMax || ring.bytes > limits.laneHopBytesMax) {
    ring.bytes -= ring.kept.shift()?.bytes ?? 0;
  }
}

/** Roughly what it takes in memory and in an answer; bodies that were not kept weigh nothing. */
function weigh({ path, requestBody, requestBytes, responseBody, responseBytes }: Hop): number {
  const request = requestBody === null ? 0 : requestBytes;
  const response = responseBody === null ? 0 : responseBytes;
  return 512 + path.length + request + response;
}
