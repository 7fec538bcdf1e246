import type { Instant } from '../../kernel/index.ts';

export const joinKey = (join: string): string => `join/${join}`;
export const joinCountKey = (join: string): string => `join-count/${join}`;
export const gradeKey = (task: string): string => `task-grade/${task}`;

/** All joins of a task, also settled ones. */
export const taskJoinPrefix = (task: string): string => `task-join/${task}/`;
export const taskJoinKey = (task: string, join: string): string => taskJoinPrefix(task) + join;

export const openJoinPrefix = 'open-join/';
export const openJoinKey = (join: string): string => openJoinPrefix + join;

/** What a look for due joins needs to know of an open one. */
export type OpenJoinRow = {
  readonly expiresAt: Instant | null;
  /** Evidence may arrive with any call, so that no command notices it. */
  readonly needsEvidence: boolean;
};
