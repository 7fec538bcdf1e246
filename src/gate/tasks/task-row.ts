import type { Instant } from '../../kernel/index.ts';
import type { TaskRow } from './api-schema.ts';

export const taskPrefix = 'task/';
export const taskKey = (task: string): string => taskPrefix + task;

export const childPrefix = (parent: string): string => `task-child/${parent}/`;
export const childKey = (parent: string, child: string): string => childPrefix(parent) + child;

/** Children that are finished or cancelled. */
export const endedChildPrefix = (parent: string): string => `task-ended/${parent}/`;
export const endedChildKey = (parent: string, child: string): string =>
  endedChildPrefix(parent) + child;

/** Open tasks whose agent has to do something again and again. */
export const leasedTaskPrefix = 'leased-task/';
export const leasedTaskKey = (task: string): string => leasedTaskPrefix + task;

export const openTaskPrefix = 'open-task/';

const expiryDigits = 15;
const never = '9'.repeat(expiryDigits);

/** Sorted by deadline, so that a scan for due tasks reads no others. */
export function openTaskKey(task: string, expiresAt: Instant | null): string {
  const expiry = expiresAt === null ? never : String(expiresAt).padStart(expiryDigits, '0');
  return `${openTaskPrefix}${expiry}/${task}`;
}

export function readOpenTaskKey(key: string): { readonly task: string; readonly until: Instant } {
  const [expiry = '', task = ''] = key.slice(openTaskPrefix.length).split('/');
  return { task, until: expiry === never ? Number.POSITIVE_INFINITY : Number(expiry) };
}

export function pathKeys(path: readonly string[], task: string): string[] {
  return [...path, task].map(taskKey);
}

/** The row alone decides, because a cancellation includes all descendants. */
export function isTaskLive({ status, expiresAt }: TaskRow, now: Instant): boolean {
  return status === 'open' && (expiresAt === null || now < expiresAt);
}
