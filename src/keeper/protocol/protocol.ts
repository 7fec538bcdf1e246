import type { FaultReport, Instant, Json } from '../../kernel/index.ts';
import type { BoundedResource, ProcessBounds } from '../bounds/bounds.ts';
import type { ResourceUsage } from '../bounds/use.ts';
import type { Exit } from '../children/exit.ts';
import type { Restart } from '../children/restart.ts';

/**
 * What is said over the keeper's socket: one JSON object per line, in both directions. Requests may
 * be sent without waiting; an answer carries the id of its request and comes when it is ready.
 */
export interface Methods {
  ping: { params: Nothing; result: Pong };
  start: { params: StartParams; result: Child };
  renew: { params: RenewParams; result: Child };
  /** Answered when nothing of the child is left; a child that has exited gives its exit again. */
  stop: { params: NamedParams; result: Exit };
  list: { params: ListParams; result: readonly Child[] };
  /** Drops the record of an exited child. */
  forget: { params: NamedParams; result: null };
  /**
   * A lease without a process: when it is over, what was started under it is ended, `remove` is
   * removed and `command` is run. Placed again, it and its children end at the new time.
   */
  hold: { params: HoldParams; result: Hold };
  /** Ends a hold now, without its command; answered when nothing is left of it. */
  release: { params: NamedParams; result: null };
  holds: { params: Nothing; result: readonly Hold[] };
  /** Stops everything but `except`, then the keeper leaves; the next one adopts what was spared. */
  shutdown: { params: ShutdownParams; result: readonly Child[] };
}

export type Method = keyof Methods;

/** What a keeper exits with that found another one in its place. */
export const exitWhenInUse = 75;

export type RequestId = number | string;

/** Parameters may be left out where there are none. */
export interface KeeperRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Json;
}

/** The id is null when the request was too broken to have one. */
export type KeeperResponse =
  | { readonly id: RequestId | null; readonly result: Methods[Method]['result'] }
  | { readonly id: RequestId | null; readonly fault: FaultReport };

export type Nothing = Readonly<Record<never, never>>;

export interface Pong {
  readonly pid: number;
  readonly startedAt: Instant;
  readonly version: string;
}

export interface StartParams {
  readonly name: string;
  readonly command: readonly string[];
  readonly directory: string;
  /** The whole environment: nothing of the keeper's own is added except the mark. */
  readonly environment: Readonly<Record<string, string>>;
  /** The child is ended when the lease runs out; null is "until stopped". */
  readonly leaseMs: number | null;
  /** Gets stdout and stderr, appended. */
  readonly logFile: string;
  /** The time between SIGTERM and SIGKILL; default and maximum are sharedLimits.stopGraceMsMax. */
  readonly stopGraceMs?: number;
  /** It ends with this hold, and is refused when there is none. */
  readonly hold?: string | null;
  readonly bounds?: Partial<ProcessBounds> | null;
  /** Null, or left out: it stays ended. */
  readonly restart?: Restart | null;
}

export interface ListParams {
  /** Also what each of them uses; that takes a look at every process of the machine. */
  readonly use?: boolean;
}

export interface HoldParams {
  readonly name: string;
  readonly leaseMs: number;
  /** An instant that it does not outlive, however long it takes until this is read. */
  readonly notAfter?: Instant | null;
  /** Directories whose last part is the name of the hold. */
  readonly remove?: readonly string[];
  /** Run when the time is over, not when it is released; again until it ends with 0. */
  readonly command?: readonly string[];
  /** Only prolongs an existing hold, and is refused if there is none. */
  readonly again?: boolean;
}

export interface Hold {
  readonly name: string;
  readonly leaseEndsAt: Instant;
}

export interface RenewParams {
  readonly name: string;
  readonly leaseMs: number | null;
}

export interface NamedParams {
  readonly name: string;
}

export interface ShutdownParams {
  readonly except?: readonly string[];
}

export interface Child {
  readonly name: string;
  /** Random per start: tells this run of the name from every other. */
  readonly instance: string;
  readonly pid: number;
  /**
   * When the process began, in ticks since boot; tells it from a later owner of its pid. Null
   * without /proc.
   */
  readonly startTicks: number | null;
  readonly startedAt: Instant;
  readonly leaseEndsAt: Instant | null;
  /** `exited` means that its descendants are gone as well. */
  readonly state: 'running' | 'exited';
  readonly exit: Exit | null;
  /** How often in a row it was started again. */
  readonly restarts: number;
  /** When it is started again; null is "not at all", or that it runs. */
  readonly restartAt: Instant | null;
  readonly bounds: ProcessBounds | null;
  /** Which of its bounds the machine sees to (cgroups); the keeper measures the others. */
  readonly heldByMachine: readonly BoundedResource[];
  /** How it ended the last time before this one, if it was started again. */
  readonly lastExit: Exit | null;
  /** Only where it was asked for. */
  readonly use?: ResourceUsage | null;
}
