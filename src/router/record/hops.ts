import { redactText } from '../../kernel/index.ts';
import { routerLimits } from '../limits.ts';
import { spanIdOf, traceIdOf } from '../routing/trace-tag.ts';
import type { CapturedBody } from './captured-body.ts';
import { guardLines } from './guard-headers.ts';
import type { Hop } from './hop.ts';

/** A hop as it was when it happened. */
export interface HopDraft
  extends Omit<
    Hop,
    | 'n'
    | 'nth'
    | 'traceId'
    | 'spanId'
    | 'requestBody'
    | 'requestBytes'
    | 'responseBody'
    | 'responseBytes'
    | 'guards'
  > {
  readonly traceparent: string | undefined;
  readonly request: CapturedBody;
  readonly response: CapturedBody;
  /** The headers of the answer, of requests from outside. */
  readonly answerLines?: readonly string[];
}

interface KeptHop {
  readonly n: number;
  readonly nth: number;
  readonly draft: HopDraft;
  readonly bytes: number;
}

interface Ring {
  readonly kept: KeptHop[];
  /** Those that made room included. */
  count: number;
  bytes: number;
}

/** The latest hops of each lane, within bounds. */
export class Hops {
  readonly #rings = new Map<string, Ring>();
  readonly #onHop: (draft: HopDraft) => void;
  #last = 0;

  constructor(onHop: (draft: HopDraft) => void = () => undefined) {
    this.#onHop = onHop;
  }

  record(draft: HopDraft): void {
    const ring = this.#ringOf(draft.key);
    const bytes = weigh(draft);
    ring.kept.push({ n: ++this.#last, nth: ++ring.count, draft, bytes });
    ring.bytes += bytes;
    const share = routerLimits.routerHopBytesMax / this.#rings.size;
    makeRoom(ring, Math.min(share, routerLimits.laneHopBytesMax));
    this.#onHop(draft);
  }

  /** The oldest ones after hop `n`, as many as fit into one answer. */
  after(key: string, n: number): Hop[] {
    const kept = this.#rings.get(key)?.kept ?? [];
    const later = kept.filter((one) => one.n > n);
    return later.slice(0, routerLimits.routerPageHopsMax).map(tell);
  }

  has(key: string): boolean {
    return this.#rings.has(key);
  }

  forget(key: string): void {
    this.#rings.delete(key);
  }

  /** What ended lanes did can still be read, but not for ever. */
  keepLanes(open: ReadonlySet<string>): void {
    const ended = [...this.#rings.keys()].filter((key) => !open.has(key));
    for (const key of ended.slice(0, -routerLimits.routerEndedLanesMax)) this.forget(key);
  }

  #ringOf(key: string): Ring {
    const known = this.#rings.get(key);
    if (known) return known;
    const ring = { kept: [], count: 0, bytes: 0 };
    this.#rings.set(key, ring);
    return ring;
  }
}

function makeRoom(ring: Ring, bytesMax: number): void {
  while (ring.kept.length > routerLimits.laneHopsMax || ring.bytes > bytesMax) {
    ring.bytes -= ring.kept.shift()?.bytes ?? 0;
  }
}

/** Roughly what it takes in memory and in an answer; bodies that were not kept weigh nothing. */
function weigh({ path, request, response }: HopDraft): number {
  return 512 + path.length + request.kept + response.kept;
}

/** Parses and redacts on reading only, so that hops that are never read cost nothing. */
function tell({ n, nth, draft: told }: KeptHop): Hop {
  const { request, response, traceparent, answerLines, ...draft } = told;
  const spanId = spanIdOf(traceparent);
  return {
    n,
    nth,
    ...draft,
    traceId: traceIdOf(traceparent),
    ...(spanId ? { spanId } : {}),
    path: redactText(draft.path),
    requestBody: request.json(),
    requestBytes: request.bytes,
    responseBody: response.json(),
    responseBytes: response.bytes,
    ...(answerLines ? { guards: guardLines(answerLines) } : {}),
  };
}
