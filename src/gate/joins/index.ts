export type { GradeRequest, GradeRow, JoinRequest, JoinRow } from './api-schema.ts';
export { findJoin, gradeTask, openJoin } from './commands.ts';
export { settleDueJoins } from './due-joins.ts';
export { gradeKey, taskJoinPrefix } from './join-row.ts';
export { type JoinPart, judgeJoin } from './judge-join.ts';
export { grades, joinCounts, joins } from './projection.ts';
export { withJoins } from './settle-join.ts';
export { waitForJoin } from './wait-for-join.ts';
