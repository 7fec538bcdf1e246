import { fault, type Instant } from '../../kernel/index.ts';
import { checkAmount } from '../accounts/index.ts';
import { gateLimits } from '../limits.ts';
import type { TaskRequest } from './api-schema.ts';

const dimensionName = /^[A-Za-z][\w.-]{0,63}$/;
const actorName = /^(?:agent|person|surety):[A-Za-z0-9][\w.@+-]{0,99}$/;
const patternName = /^\S(?:.{0,398}\S)?$/;
const phaseName = /^[A-Za-z][\w.-]{0,63}$/;

/** Checks what must hold for any task, whatever its parent. */
export function checkTaskRequest(wish: TaskRequest): void {
  const { agent, tools = [], resources = [], phases = [], budgets = {}, expiresInMs } = wish;
  if (agent !== undefined && !actorName.test(agent)) throw invalid(`"${agent}" is no actor`);
  for (const pattern of [...tools, ...resources]) {
    if (!patternName.test(pattern)) throw invalid(`"${pattern.slice(0, 60)}" is no pattern`);
  }
  for (const phase of phases) {
    if (!phaseName.test(phase)) throw invalid(`"${phase.slice(0, 60)}" is no name of a phase`);
  }
  if (new Set(phases).size < phases.length) throw invalid('a phase is named twice');
  for (const [dimension, limit] of Object.entries(budgets)) {
    if (!dimensionName.test(dimension))
      throw invalid(`"${dimension.slice(0, 60)}" is no dimension`);
    checkAmount(dimension, limit);
  }
  checkLease(wish);
  if (expiresInMs !== undefined && !isDuration(expiresInMs)) {
    throw invalid(`${expiresInMs} ms is no time to expire in`);
  }
}

function checkLease({ leaseMs, onLost }: TaskRequest): void {
  const { taskLeaseMsMin, taskLeaseMsMax } = gateLimits;
  if (leaseMs === undefined) {
    if (onLost !== undefined) throw invalid('onLost needs leaseMs');
    return;
  }
  const isLease = Number.isSafeInteger(leaseMs);
  if (isLease && leaseMs >= taskLeaseMsMin && leaseMs <= taskLeaseMsMax) return;
  throw invalid(`a lease has ${taskLeaseMsMin} to ${taskLeaseMsMax} ms, not ${leaseMs}`);
}

export function expiryOf({ expiresInMs }: TaskRequest, now: Instant): Instant | null {
  return expiresInMs === undefined ? null : now + expiresInMs;
}

const yearMs = 365 * 24 * 60 * 60 * 1_000;

function isDuration(milliseconds: number): boolean {
  return Number.isSafeInteger(milliseconds) && milliseconds > 0 && milliseconds <= 100 * yearMs;
}

const invalid = (reason: string): Error => fault('TASK_INVALID', { reason });
