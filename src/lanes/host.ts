import type { Instant } from '../kernel/index.ts';

/**
 * What runs instances of services. On this machine it is the keeper; elsewhere it may be a
 * cluster.
 */
export interface Host {
  /**
   * Resolves when the instance is healthy; otherwise nothing of it is left and a fault says why.
   */
  start(instance: InstanceSpec): Promise<RunningInstance>;
  stop(name: string): Promise<void>;
  /** Lines of the instances' logs that hold a text, each after the name of its log. */
  findLines(text: string, linesMax: number): Promise<readonly string[]>;
  /**
   * Begins something that ends by itself, whoever is dead by then: what was started under it is
   * stopped, its directories are removed, its command is run. Again, it is given a new end.
   */
  hold(hold: HoldSpec): Promise<{ readonly endsAt: Instant }>;
  /** Resolves when nothing that was held is left. */
  release(name: string): Promise<void>;
  holds(): Promise<ReadonlySet<string>>;
  /** Those that run now, by name. */
  running(): Promise<ReadonlyMap<string, RunningInstance>>;
}

export interface HoldSpec {
  readonly name: string;
  readonly leaseMs: number;
  /** Directories that are named like the hold. */
  readonly remove: readonly string[];
  readonly command?: readonly string[];
  /** Refused unless it is held already. */
  readonly again?: boolean;
}

export interface InstanceSpec {
  /** Unique on the host. */
  readonly name: string;
  /** The name of its log, if another; versions of one service share it. */
  readonly log?: string;
  readonly service: string;
  readonly command: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly port: number;
  readonly health: string | undefined;
  /** It ends with this hold; without one it runs until it is stopped. */
  readonly hold?: string;
}

export interface RunningInstance {
  readonly name: string;
  readonly pid: number;
  readonly startedAt: number;
}
