import { constants } from 'node:os';
import { confinementLimits } from '../../confinement/index.ts';
import type { Instant } from '../../kernel/index.ts';
import { laneLimits } from '../limits.ts';
import { confinedPid } from './confined-pid.ts';
import type { HoldSpec, InstanceState, ProcessLimits } from './host.ts';

/** As much of the keeper as running instances needs; the runtime hands it in. */
export interface ProcessKeeper {
  start(params: {
    name: string;
    command: readonly string[];
    directory: string;
    environment: Readonly<Record<string, string>>;
    leaseMs: number | null;
    logFile: string;
    hold?: string;
    stopGraceMs?: number;
    bounds?: KeptBounds | null;
    restart?: { backoffMs: number; most: number } | null;
  }): Promise<KeptProcess>;
  stop(name: string): Promise<unknown>;
  list(params?: { use?: boolean }): Promise<readonly KeptProcess[]>;
  forget(name: string): Promise<void>;
  hold(hold: HoldSpec): Promise<{ readonly leaseEndsAt: Instant }>;
  release(name: string): Promise<void>;
  holds(): Promise<readonly { readonly name: string }[]>;
}

export interface KeptProcess {
  readonly name: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly state: 'running' | 'exited';
  readonly exit: KeptExit | null;
  readonly lastExit: KeptExit | null;
  readonly restarts: number;
  readonly restartAt: number | null;
  readonly use?: {
    readonly memoryBytes: number;
    readonly cpuMs: number;
    readonly processes: number;
  } | null;
}

interface KeptExit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly reason: string;
}

/** Bubblewrap's own processes beside a confined program: they count for the machine. */
const confiners = 2;

export interface KeptBounds {
  readonly memoryMb: number | null;
  readonly cpu: number | null;
  readonly processes: number | null;
  readonly diskMb: number | null;
}

/** What is not declared has no bound, unless the program is confined. */
export function boundsOf(
  limits: ProcessLimits,
  isConfined: boolean,
  /** It runs for as long as it likes, so what it has written in all says nothing. */
  isLasting = false,
): KeptBounds | null {
  const { cpu = null, memoryMb = null, processes = null } = limits;
  if (!isConfined) {
    const isFree = memoryMb === null && cpu === null && processes === null;
    return isFree ? null : { memoryMb, cpu, processes, diskMb: null };
  }
  return {
    cpu,
    memoryMb: memoryMb ?? confinementLimits.confinedMemoryMb,
    processes: (processes ?? confinementLimits.confinedProcesses) + confiners,
    diskMb: isLasting ? null : confinementLimits.confinedDiskMb,
  };
}

export function stateOf(kept: KeptProcess): InstanceState {
  const { name, startedAt, restarts, use } = kept;
  const pid = confinedPid(kept.pid);
  const exit = kept.exit ?? kept.lastExit;
  const own = pid === kept.pid ? 0 : confiners;
  return {
    name,
    pid,
    startedAt,
    state: stateName(kept),
    restarts,
    ended: exit && howItEnded(exit),
    memoryBytes: use?.memoryBytes ?? null,
    cpuMs: use?.cpuMs ?? null,
    processes: use ? use.processes - own : null,
  };
}

/** A process that was stopped, alone or with its machine, has not crashed. */
const uncrashed: readonly (string | undefined)[] = ['stopped', 'rebooted'];

function stateName({ state, restarts, restartAt, exit }: KeptProcess): InstanceState['state'] {
  if (state === 'running') return 'running';
  if (restartAt !== null) return restarts < laneLimits.serviceRestartsMax ? 'restarting' : 'ended';
  return uncrashed.includes(exit?.reason) ? 'stopped' : 'ended';
}

export const endedInTime = 'its time was over';

const reasons: Readonly<Record<string, string>> = {
  'over-memory': 'it used more memory than its limit',
  'over-processes': 'it had more processes than its limit',
  'over-disk': 'it wrote more to the disk than its limit',
  'lease-ended': endedInTime,
  stopped: 'it was stopped',
  lost: 'it ended while the keeper was not running',
  rebooted: 'the machine or container was restarted',
};

/** The codes by which a shell says that there was nothing to run. */
const shellCodes: Readonly<Record<number, string>> = {
  126: 'its command cannot be executed (code 126)',
  127: 'its command was not found (code 127)',
};

export function howItEnded({ code, signal, reason }: KeptExit): string {
  const known = reasons[reason] ?? shellCodes[code ?? 0];
  if (known) return known;
  if (signal === null && code === null) return 'it ended, with an unknown exit code';
  return `it ended with ${signal ?? signalOf(code) ?? `code ${code}`}`;
}

const signalNames = new Map(Object.entries(constants.signals).map(([name, of]) => [of, name]));

/** Shells and bubblewrap report the signal that ended their program by a code above 128. */
function signalOf(code: number | null): string | undefined {
  return signalNames.get((code ?? 0) - 128);
}
