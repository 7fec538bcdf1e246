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
  /** Those that run now, by name. */
  running(): Promise<ReadonlyMap<string, RunningInstance>>;
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
  /** When it is ended at the latest; null is "until stopped". */
  readonly leaseMs: number | null;
}

export interface RunningInstance {
  readonly name: string;
  readonly pid: number;
  readonly startedAt: number;
}
