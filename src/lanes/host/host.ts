import type { Instant } from '../../kernel/index.ts';
import type { PodConfig } from '../../system/index.ts';
import type { VersionTree } from '../change/trees.ts';
import type { ListeningPort } from './listening.ts';
import type { Meter } from './process-meter.ts';

/**
 * What runs instances of services. On this machine it is the keeper; elsewhere it may be a
 * cluster.
 */
export interface Host {
  /**
   * Resolves when the instance is healthy; otherwise nothing of it is left and a fault says why.
   */
  start(instance: InstanceSpec): Promise<RunningInstance>;
  /** Runs a command to its end, and tells how it ended. */
  run(step: StepSpec): Promise<StepEnd>;
  stop(name: string): Promise<void>;
  /** Lines of these logs that hold a text, each after the name of its log. */
  findLines(text: string, linesMax: number, logs: ReadonlySet<string>): Promise<readonly string[]>;
  /**
   * Places a hold that ends on time even if the daemon is dead: its processes are stopped, its
   * directories are removed, its command is run. Placing it again sets a new end.
   */
  hold(hold: HoldSpec): Promise<{ readonly endsAt: Instant }>;
  /** Resolves when nothing that was held is left. */
  release(name: string): Promise<void>;
  holds(): Promise<ReadonlySet<string>>;
  /** Removes logs of lanes that are closed for long; none of these. */
  trimLogs(open: ReadonlySet<string>): void;
  /** A part of a log, secrets removed. */
  readLog(log: string, wanted: LogRequest): Promise<LogPart>;
  /** All known processes, including those that ended by themselves, with their resource use. */
  states(): Promise<ReadonlyMap<string, InstanceState>>;
  /** Tells at any time, and at once, what these instances have used. */
  meter(names: readonly string[]): Promise<Meter>;
  /** Ports on which an instance, or what it started, takes connections now. */
  listeners(name: string): Promise<readonly ListeningPort[]>;
  /** Those that run now, by name. */
  running(): Promise<ReadonlyMap<string, RunningInstance>>;
}

export interface HoldSpec {
  readonly name: string;
  readonly leaseMs: number;
  readonly notAfter?: Instant | null;
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
  /** The version that it is confined to; without one it runs as the owner. */
  readonly confinedTo?: VersionTree;
  /** Data outside of its version that it works with. */
  readonly data?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly port: number;
  readonly health: string | undefined;
  /** It ends with this hold; without one it runs until it is stopped. */
  readonly hold?: string;
  readonly protocol: 'http' | 'https' | 'h2c' | 'grpc' | 'tcp';
  /** How long it may take until it is healthy. */
  readonly startMs: number;
  /** Where the values of further variables are read when it starts. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  /** It runs as a pod, derived from a Deployment; the command is not used then. */
  readonly pod?: PodSpec;
  /** Whether it is started again when it crashes. */
  readonly restarts: boolean;
}

export interface PodSpec extends PodConfig {
  /** Where its container listens. */
  readonly port: number;
  /** The checkout of its version. */
  readonly top: string;
}

export interface RunningInstance {
  readonly name: string;
  readonly pid: number;
  readonly startedAt: number;
}

/** The limits for all processes of an instance together; a missing one means no limit. */
export interface ProcessLimits {
  readonly memoryMb?: number | undefined;
  readonly cpu?: number | undefined;
  readonly processes?: number | undefined;
}

export interface InstanceState extends RunningInstance {
  /** `stopped`: it was stopped, or its exit was not observed; `ended`: it ended by itself. */
  readonly state: 'running' | 'restarting' | 'stopped' | 'ended';
  /** How often in a row it was started again. */
  readonly restarts: number;
  /** How it ended, or ended the last time; null when it never did. */
  readonly ended: string | null;
  readonly memoryBytes: number | null;
  readonly cpuMs: number | null;
  readonly processes: number | null;
}

export interface StepSpec {
  /** Unique on the host. */
  readonly name: string;
  readonly log: string;
  readonly command: string;
  readonly directory: string;
  /** The version that it is confined to; without one it runs as the owner. */
  readonly confinedTo?: VersionTree;
  /** Directories outside of its version that it may write to although it is confined. */
  readonly data?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface StepEnd {
  /** Null when it did what it should. */
  readonly failure: string | null;
  /** The last lines that it wrote. */
  readonly lines: readonly string[];
}

export interface LogRequest {
  /** How many of the last lines. */
  readonly lines: number;
  /** Only what was written after this place. */
  readonly after?: number | undefined;
}

export interface LogPart {
  readonly lines: readonly string[];
  /** Where to go on from. */
  readonly next: number;
  /** Whether the text was cut. */
  readonly isCut?: boolean;
}
