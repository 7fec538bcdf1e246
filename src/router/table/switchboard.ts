import type { Clock, Log } from '../../kernel/index.ts';
import { DoorListeners } from '../inbound/doors.ts';
import { createEntrance } from '../inbound/entrance.ts';
import { LiveExchanges } from '../live.ts';
import { type HopDraft, Hops } from '../record/hops.ts';
import { RecordedTraffic } from '../record/recorded-traffic.ts';
import { TakenTraffic } from '../record/taken-traffic.ts';
import type { TrafficDeps } from '../routing/admit.ts';
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
