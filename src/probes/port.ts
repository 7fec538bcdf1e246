import type { Capture, InstrumentSummary, ProbeKind } from './api-schema.ts';
import type { LineRange, ObservablePoint } from './context/observable-points.ts';
import type { ProbeExpression } from './expression/check.ts';
import type { TemplatePart } from './expression/template.ts';

/** What a probe does in one process: a request that passed all checks that need no process. */
export interface InstrumentPlan {
  readonly kind: ProbeKind;
  /** Absolute path of a source file, or an end of one that no other loaded file has. */
  readonly file: string;
  /** From 1. Absent if `function` says where. */
  readonly line?: number;
  /** A name such as `validate` or `Orders.validate`. */
  readonly function?: string;
  /** The second line of a duration. */
  readonly toLine?: number;
  /** A log's text, with the numbers of its expressions. */
  readonly template?: readonly TemplatePart[];
  readonly expressions: readonly ProbeExpression[];
  readonly condition?: ProbeExpression;
  /** An expression that tells which request this is. */
  readonly requestId?: ProbeExpression;
  /** From 0 to 1. */
  readonly sampleRate: number;
  readonly hitsMax: number;
}

/** Where an instrument is, as the debugger confirmed it. A type: it goes into the ledger. */
export type Place = {
  /** The source file; for compiled code, what it was compiled from. */
  readonly file: string;
  readonly line: number;
  readonly function: string;
  /** All functions around it, the outermost first, where somebody parsed the code. */
  readonly within?: readonly string[];
  /** The code that runs, if it is another file or other lines. */
  readonly generated?: { readonly file: string; readonly line: number; readonly column: number };
  /** SHA-256 of the code that runs. */
  readonly scriptHash: string;
  /** The line as it runs, without secrets. */
  readonly text: string;
  /** Why the file on disk is not what runs. Absent if they are the same. */
  readonly drift?: string;
};

/** What an instrument costs. A type: it goes into the ledger. */
export type PredictedCost = {
  /** Once, for the first probe in a process: the debugger goes through all loaded scripts. */
  readonly attachMs: number;
  readonly perHitMs: number;
};

/** What is left in a process after a probe, looked up again. A type: it goes into the ledger. */
export type Residue = {
  readonly breakpoints: 'none' | 'unknown' | 'gone with its process';
  readonly inspector:
    | 'closed'
    | 'open as it was found'
    | 'in use by another debugger'
    | 'still open'
    | 'gone with its process';
  /** Global and worker of ours. They stay while other probes are in the process. */
  readonly agent: 'none' | 'in use by other probes' | 'unknown' | 'gone with its process';
  /** What the debugger of another language leaves, in words. */
  readonly notes?: readonly string[];
};

export interface CaptureBatch {
  readonly captures: readonly Omit<Capture, 'pid'>[];
  /** Totals since the instrument was placed, if they are new. */
  readonly summary?: InstrumentSummary;
}

export interface InstrumentListener {
  captured(batch: CaptureBatch): void;
  /** It ended without being removed. Nothing is reported after this. */
  ended(reason: InstrumentEnd): void;
}

export type InstrumentEnd = 'hits' | 'process-ended' | 'connection-lost' | 'breaker';

/** An instrument in one process. */
export interface Instrument {
  readonly place: Place;
  readonly cost: PredictedCost;
  /** Reports what it still has, then resolves. Also after it ended: says what is left of it. */
  remove(): Promise<Residue>;
}

/** A type: it goes into the ledger. */
export type ProcessFacts = {
  readonly pid: number;
  /** With the pid, tells a process from a later one that got the same number. */
  readonly startTicks: number;
  /** `node v24.1.0` */
  readonly runtime: string;
};

/** A process with our agent or debugger in it. */
export interface AttachedProcess {
  readonly facts: ProcessFacts;
  /** How it is ensured that nothing is changed, for the certificate. */
  readonly readOnly: ReadOnlyProof;
  /** How long the first look at its code stops it at least, known before that. */
  readonly stallMs: number;
  /** Finds the place without setting anything. */
  check(plan: InstrumentPlan): Promise<{ readonly place: Place; readonly cost: PredictedCost }>;
  place(plan: InstrumentPlan, listener: InstrumentListener): Promise<Instrument>;
  /** Its worker threads, where code can run, too. */
  threads?(): Promise<readonly AttachedProcess[]>;
  /** Waits until a file is loaded; false if that was aborted. Absent where nobody can tell. */
  untilLoaded?(file: string, signal: AbortSignal): Promise<boolean>;
  /** What can be observed on lines of a source file. Absent where nobody parses the language. */
  observable?(file: string, range: LineRange): Promise<readonly ObservablePoint[]>;
  /** Removes everything and looks what is left. Never throws. */
  detach(): Promise<Residue>;
}

/** A type: it goes into the ledger. */
export type ReadOnlyProof = {
  readonly beforePlacement: string;
  readonly inTarget: string;
  /** Expressions tried in this kind of process, and how many of them changed something. */
  readonly selfTest: { readonly expressions: number; readonly mutations: number };
};

/** Looks into processes of one runtime. Node's inspector and the Debug Adapter Protocol are two. */
export interface Instrumenter {
  /** `development`: a debugger that stops or slows down the process, and leaves traces. */
  readonly tier: 'production' | 'development';
  /** The processes at or below `pid` that this can attach to, such as node below npm. */
  find(pid: number): Promise<readonly number[]>;
  attach(pid: number): Promise<AttachedProcess>;
}
