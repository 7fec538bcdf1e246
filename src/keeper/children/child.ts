import type { Instant } from '../../kernel/index.ts';
import { bounds, machineResources } from '../bounds/bounds.ts';
import { holdName } from '../holds/hold.ts';
import {
  absolutePath,
  type Field,
  invalid,
  listOf,
  matching,
  nullOr,
  objectOf,
  oneOf,
  text,
  unlessGiven,
  wholeNumber,
} from '../protocol/fields.ts';
import type { Child } from '../protocol/protocol.ts';
import { childName } from '../protocol/request.ts';
import type { ProcessStat } from '../strays/processes.ts';
import { type Exit, exitReasons } from './exit.ts';
import type { ProcessMark } from './mark.ts';
import { type Restart, restart } from './restart.ts';

/** What the keeper must know of a child to look after it, also when it did not start it itself. */
export interface ChildRecord extends Child {
  readonly logFile: string;
  readonly stopGraceMs: number;
  /** The hold that it ends with. */
  readonly hold: string | null;
  readonly restart: Restart | null;
  /** How to start it again. */
  readonly command: readonly string[];
  readonly directory: string;
  /** Its directories in the machine's control groups. */
  readonly cgroups: readonly string[];
}

const whole = wholeNumber(0);

const exit: Field<Exit> = objectOf({
  code: nullOr(whole),
  signal: nullOr(matching(/^SIG[A-Z0-9+-]+$/)),
  at: whole,
  reason: oneOf(...exitReasons),
});

const fields = objectOf({
  name: childName,
  instance: matching(/^[0-9a-f]{16}$/),
  // Signals are sent by what is read here: 0 and 1 must never pass for a pid.
  pid: wholeNumber(2),
  startTicks: nullOr(whole),
  startedAt: whole,
  leaseEndsAt: nullOr(whole),
  state: oneOf('running', 'exited'),
  exit: nullOr(exit),
  logFile: absolutePath,
  stopGraceMs: whole,
  hold: unlessGiven(null, nullOr(holdName)),
  // Left out by keepers that did not know of them.
  restarts: unlessGiven(0, whole),
  restartAt: unlessGiven(null, nullOr(whole)),
  lastExit: unlessGiven(null, nullOr(exit)),
  restart: unlessGiven(null, nullOr(restart)),
  command: unlessGiven([], listOf(text)),
  directory: unlessGiven('/', absolutePath),
  bounds: unlessGiven(null, nullOr(bounds)),
  heldByMachine: unlessGiven([], listOf(oneOf(...machineResources))),
  cgroups: unlessGiven([], listOf(absolutePath)),
});

export const childRecord: Field<ChildRecord> = (value, path) => {
  const record = fields(value, path);
  if ((record.state === 'exited') === (record.exit !== null)) return record;
  throw invalid(path, 'must have an exit if it exited, and only then');
};

export function toChild(record: ChildRecord): Child {
  const { name, instance, pid, startTicks, startedAt, leaseEndsAt, state, exit } = record;
  const { restarts, restartAt, lastExit, bounds, heldByMachine } = record;
  const life = { startedAt, leaseEndsAt, state, exit, restarts, restartAt, lastExit };
  return { name, instance, pid, startTicks, ...life, bounds, heldByMachine };
}

export function exited(record: ChildRecord, exit: Exit): ChildRecord {
  return { ...record, state: 'exited', exit };
}

export function isLeaseOver(record: ChildRecord, now: Instant): boolean {
  return record.leaseEndsAt !== null && now >= record.leaseEndsAt;
}

/** What can be seen of the process that now has the pid of a record. */
export interface ProcessSighting {
  readonly stat: ProcessStat | undefined;
  readonly mark: ProcessMark | undefined;
  /** Whether the machine has not been rebooted since the record was written. */
  readonly isSameBoot: boolean;
}

/**
 * Whether this is the recorded process, and not another one that was given its pid. A program may
 * overwrite its environment (nginx does, for its title) and so lose the mark; within one boot its
 * pid and its start still name it.
 */
export function isSameProcess(
  record: ChildRecord,
  { stat, mark, isSameBoot }: ProcessSighting,
): boolean {
  if (!stat || stat.isZombie || stat.startTicks !== record.startTicks) return false;
  return mark ? mark.instance === record.instance : isSameBoot;
}
