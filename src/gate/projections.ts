import type { Projection } from '../ledger/index.ts';
import { accounts } from './accounts/index.ts';
import { approvals } from './approvals.ts';
import { gatheredEvidence } from './evidence.ts';
import { grades, joinCounts, joins } from './joins/index.ts';
import { locks } from './locks/index.ts';
import { loops } from './loops.ts';
import { adoptedPolicy } from './policy-book.ts';
import { proposals } from './proposals.ts';
import { slots } from './slots/index.ts';
import { stops } from './stops.ts';
import { changeTasks, tasks } from './tasks/index.ts';
import { trajectories } from './trajectory.ts';

/** All projections of the gate. */
export const gateProjections: readonly Projection[] = [
  proposals,
  adoptedPolicy,
  accounts,
  slots,
  locks,
  tasks,
  changeTasks,
  joins,
  joinCounts,
  grades,
  trajectories,
  loops,
  gatheredEvidence,
  approvals,
  stops,
];
