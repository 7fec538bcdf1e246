import { CallerConnections, type Clock, type Log, toFault } from '../../kernel/index.ts';
import type { Exchange, Register } from '../exchange.ts';
import { DoorListeners } from '../inbound/doors.ts';
import { createEntrance } from '../inbound/entrance.ts';
import { routerLimits } from '../limits.ts';
import { type HopDraft, Hops } from '../record/hops.ts';
import { RecordedTraffic } from '../record/recorded-traffic.ts';
import { TakenTraffic } from '../record/taken-traffic.ts';
import type { TrafficDeps } from '../routing/admit.ts';
import { unknownLane } from '../routing/lane-key.ts';
import { InstanceConnections } from '../upstream/upstreams.ts';
import { type AddressBook, createAddressBook } from './address-book.ts';
import { EndedLanes } from './ended-lanes.ts';
import { emptyTable, type RouteTable } from './table.ts';

/** The longest that a timer can wait. */
const timerMsMax = 2 ** 31 - 1;

/** The table, and all that has to change when it does. */
export class Switchboard {
  readonly hops: Hops;
  readonly taken: TakenTraffic = new TakenTraffic();
  readonly recorded: RecordedTraffic;
  readonly traffic: TrafficDeps;
  readonly doors: DoorListeners;
  readonly #live = new LiveExchanges();
  readonly #ended = new EndedLanes();
  readonly #upstreams = new InstanceConnections();
  readonly #clock: Clock;
  readonly #log: Log;
  #book: AddressBook = createAddressBook(emptyTable);
  #setting: Promise<void> = Promise.resolve();
  #ending: NodeJS.Timeout | undefined;

  constructor(clock: Clock, log: Log, onHop?: (draft: HopDraft) => void) {
    this.hops = new Hops(onHop);
    this.recorded = new RecordedTraffic(clock);
    this.#clock = clock;
    this.#log = log;
    this.traffic = {
      callers: new CallerConnections(),
      book: () => this.#book,
      hops: this.hops,
      ended: this.#ended,
      live: this.#live,
      taken: this.taken,
      recorded: this.recorded,
      upstreams: this.#upstreams,
      clock,
      log,
    };
    this.doors = new DoorListeners((port) => createEntrance(this.traffic, port));
  }

  get table(): RouteTable {
    return this.#book.table;
  }

  /** One after the other: the last that was sent is the one that holds. */
  setTable(table: RouteTable): Promise<void> {
    const set = this.#setting.then(() => this.#set(table));
    this.#setting = set.catch(() => undefined);
    return set;
  }

  /** What is known of a lane that has ended. */
  forget(key: string): void {
    this.hops.forget(key);
    this.#ended.forget(key);
    this.taken.fetch(key);
  }

  async #set(table: RouteTable): Promise<void> {
    if (table.doors?.length) await this.doors.open(table);
    this.#ended.remember(this.table, table);
    this.#book = createAddressBook(table);
    this.doors.closeOthers(table);
    this.hops.keepLanes(new Set(Object.keys(table.lanes)));
    this.#upstreams.keep(table);
    this.#endLanes();
    await this.doors.settle();
    this.#log('info', 'table-set', { lanes: Object.keys(table.lanes).length });
  }

  /** Ends requests of lanes that are no more or whose time is over, and looks again in time. */
  #endLanes(): void {
    clearTimeout(this.#ending);
    const now = this.#clock.now();
    const lanes = Object.entries(this.table.lanes);
    const isOpen = ({ expiresAt = Number.POSITIVE_INFINITY }): boolean => expiresAt > now;
    const open = lanes.filter(([, lane]) => isOpen(lane));
    this.#live.endExcept(new Set(open.map(([key]) => key)));
    const ends = open.flatMap(([, { expiresAt }]) => expiresAt ?? []);
    if (ends.length === 0) return;
    const waitMs = ends.reduce((one, other) => Math.min(one, other)) - now;
    this.#ending = setTimeout(() => this.#endLanes(), Math.min(waitMs, timerMsMax)).unref();
  }

  close(): void {
    clearTimeout(this.#ending);
    this.#upstreams.close();
  }
}

/** Requests in progress, by key: when a lane ends, they are ended with it. */
class LiveExchanges implements Register {
  readonly #byKey = new Map<string, Set<Exchange>>();

  add(exchange: Exchange): void {
    const { key } = exchange.route;
    if (key === null) return;
    const known = this.#byKey.get(key);
    if (known) known.add(exchange);
    else this.#byKey.set(key, new Set([exchange]));
  }

  /** They may finish, if they are quick about it. */
  endExcept(open: ReadonlySet<string>): void {
    for (const [key, exchanges] of this.#byKey) {
      if (!open.has(key)) this.#endSoon(key, [...exchanges]);
    }
  }

  #endSoon(key: string, exchanges: readonly Exchange[]): void {
    const timer = setTimeout(() => {
      const reason = toFault(unknownLane(`the lane of key ${key} has ended meanwhile`));
      const live = this.#byKey.get(key);
      for (const exchange of exchanges) if (live?.has(exchange)) exchange.end(reason);
    }, routerLimits.endedLaneRequestMsMax);
    timer.unref();
  }

  remove(exchange: Exchange): void {
    const key = exchange.route.key ?? '';
    const known = this.#byKey.get(key);
    known?.delete(exchange);
    if (known?.size === 0) this.#byKey.delete(key);
  }
}
