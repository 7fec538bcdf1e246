import type { Readable } from 'node:stream';
import { type Clock, type Fault, fault, toFault } from '../kernel/index.ts';
import type { Caller } from './inbound/caller.ts';
import type { RequestHead } from './inbound/head.ts';
import { endToEnd, findHeader, putKey } from './inbound/headers.ts';
import type { Hops } from './record/hops.ts';
import type { RecordedTraffic } from './record/recorded-traffic.ts';
import { HopRecording } from './record/recording.ts';
import type { OpenTaking, TakenTraffic } from './record/taken-traffic.ts';
import { unknownLane } from './routing/lane-key.ts';
import type { Route } from './routing/route.ts';
import { newTraceparent } from './routing/trace-tag.ts';
import type { AddressBook } from './table/address-book.ts';
import type { EndedLanes } from './table/ended-lanes.ts';

export interface ExchangeDeps {
  /** The table as it is now. */
  book(): AddressBook;
  readonly hops: Hops;
  readonly ended: EndedLanes;
  readonly clock: Clock;
  readonly live: Register;
  readonly taken: TakenTraffic;
  readonly recorded: RecordedTraffic;
}

/** Of what is under way. */
export interface Register {
  add(exchange: Exchange): void;
  remove(exchange: Exchange): void;
}

export interface ExchangeRequest {
  readonly head: RequestHead;
  readonly body: Readable | null;
  readonly caller: Caller;
}

/** A request on its way, and what its caller gets. Upstreams tell it all that they hear. */
export class Exchange implements ExchangeRequest {
  readonly head: RequestHead;
  readonly body: Readable | null;
  readonly caller: Caller;
  readonly route: Route;
  readonly #deps: ExchangeDeps;
  readonly #recording: HopRecording | null;
  readonly #taking: OpenTaking | null;
  #cancel: (() => void) | null = null;
  #isOver = false;

  constructor({ head, body, caller }: ExchangeRequest, route: Route, deps: ExchangeDeps) {
    this.head = head;
    this.body = body;
    this.caller = caller;
    this.route = route;
    this.#deps = deps;
    this.#equip();
    this.#recording = route.key === null ? null : new HopRecording(this, deps);
    this.#taking = route.isIngress ? this.#take() : null;
    // Heard where the exchange closes; unheard, it would end the process.
    if (head.hasBody) body?.on('error', ignore);
    deps.live.add(this);
    caller.onClose(() => this.#close());
  }

  /** How the upstream is stopped, for when the caller leaves. */
  onCancel(cancel: () => void): void {
    if (this.#isOver) cancel();
    else this.#cancel = cancel;
  }

  /** A piece of the request passes by. */
  sent(chunk: Buffer): void {
    this.#recording?.request.add(chunk);
    this.#taking?.sent.add(chunk);
  }

  interim(status: number, raw: readonly string[]): void {
    this.caller.interim(status, endToEnd(raw, findHeader(raw, 'connection')));
  }

  answer(answer: { status: number; statusMessage: string; isOver: boolean }, raw: string[]): void {
    const lines = endToEnd(raw, findHeader(raw, 'connection'));
    this.#recording?.answered(raw);
    this.#taking?.begin(raw);
    if (this.route.isIngress && this.route.lane) lines.push('x-surety-lane', this.route.lane);
    this.caller.begin({ ...answer, lines });
  }

  /** False when the caller can't take more at present. */
  data(chunk: Buffer): boolean {
    this.#recording?.response.add(chunk);
    this.#taking?.answered.add(chunk);
    return this.caller.write(chunk);
  }

  complete(trailers: readonly string[] = []): void {
    this.#cancel = null;
    this.#recording?.ended(trailers);
    this.caller.end(trailers);
  }

  /** The connection was handed over: from here on it is theirs. */
  upgraded(raw: readonly string[]): void {
    this.#recording?.answered(raw);
    this.#recording?.finish(101);
  }

  fail(error: Error, resetCode?: number): void {
    this.#cancel = null;
    if (this.caller.status > 0 || resetCode !== undefined) this.caller.abort(resetCode);
    else this.refuse(this.#reasonOf(error));
  }

  /** Ends the exchange with a fault, which is sent if the answer has not started yet. */
  end(reason: Fault): void {
    const cancel = this.#cancel;
    this.#cancel = null;
    if (this.caller.status > 0) this.caller.abort();
    else this.refuse(reason);
    cancel?.();
  }

  refuse(reason: Fault): void {
    const { isIngress, lane } = this.route;
    this.caller.refuse(reason, isIngress && lane ? ['x-surety-lane', lane] : []);
  }

  /** What the router adds: the key where services look for it, and a trace id that tells it. */
  #equip(): void {
    const { key, lacksKey } = this.route;
    if (key === null) return;
    if (lacksKey) putKey(this.head.lines, key);
    const tag = this.#deps.book().tagOf(key);
    if (tag && this.head.headers.traceparent === undefined) {
      this.head.lines.push('traceparent', newTraceparent(tag));
    }
  }

  /** Of a lane, what somebody took hold of before; of the baseline, what is being recorded. */
  #take(): OpenTaking | null {
    const { taken, recorded } = this.#deps;
    const { key } = this.route;
    return key === null ? recorded.open(this.head, this.caller) : taken.open(key, this.head);
  }

  #reasonOf(error: Error): Fault {
    const { kind, to, lane, key } = this.route;
    const isOpen = key === null || Object.hasOwn(this.#deps.book().table.lanes, key);
    if (!isOpen) return toFault(unknownLane(`the lane of key ${key} has ended meanwhile`));
    const reason = error.message;
    return kind === 'candidate'
      ? fault('LANE_SERVICE_DOWN', { service: to, lane: lane ?? '', reason }, error)
      : fault('TARGET_UNREACHABLE', { target: to, reason }, error);
  }

  #close(): void {
    this.#isOver = true;
    this.#deps.live.remove(this);
    this.#recording?.finish(this.caller.status);
    this.#taking?.end(this.caller.status);
    this.#cancel?.();
    this.#cancel = null;
  }
}

function ignore(): void {}
