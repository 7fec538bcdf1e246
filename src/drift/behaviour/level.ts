import type { DriftLevel } from '../../kernel/index.ts';
import { driftParameters } from '../parameters.ts';
import { hasChanged } from '../statistics/change-detector.ts';
import {
  type BehaviourPastRow,
  type BehaviourRow,
  dimensionNames,
  evidenceOf,
  scalarNames,
} from './behaviour-row.ts';

/** The level with everything that it follows from. */
export interface DriftAssessment {
  readonly level: DriftLevel;
  /** 0.6 · (1 − compliance) + 0.4 · divergence, over the last steps. */
  readonly score: number;
  /** The largest divergence that is significant. */
  readonly divergence: number;
  readonly reasons: readonly string[];
}

const calm: DriftAssessment = { level: 'normal', score: 0, divergence: 0, reasons: [] };

export function assessDrift(now: BehaviourRow, past: BehaviourPastRow): DriftAssessment {
  return isCalm(now, past) ? calm : assessSignals(now, past);
}

/** The usual case, decided without making anything. */
function isCalm({ marks, scalars }: BehaviourRow, { dimensions }: BehaviourPastRow): boolean {
  for (const name of dimensionNames) if (dimensions[name].isShifted) return false;
  for (const name of scalarNames) {
    if (scalars[name][0] >= driftParameters.evidenceNeeded) return false;
  }
  for (let place = 0; place < marks.length; place++) if (marks[place] !== '.') return false;
  return true;
}

function assessSignals(now: BehaviourRow, past: BehaviourPastRow): DriftAssessment {
  const shifted = dimensionNames.filter((name) => past.dimensions[name].isShifted);
  const changed = scalarNames.filter((name) => hasChanged(evidenceOf(now.scalars[name])));
  const violated = countViolations(now.marks);
  // Steps that did not happen yet count as clean: one denial at the start is no drift.
  const shortfall = violated / driftParameters.scoreSteps;
  const divergence = Math.max(0, ...shifted.map((name) => past.dimensions[name].divergence));
  const score =
    driftParameters.complianceWeight * shortfall + driftParameters.divergenceWeight * divergence;
  const isNormal = shifted.length + changed.length === 0;
  const level = levelAt(Math.max(score, divergence), isNormal ? 'normal' : 'watch');
  const reasons = [
    ...shifted.map((name) => `${name} shifted by ${past.dimensions[name].divergence}`),
    ...changed.map((name) => `${name} rose`),
    ...(score >= driftParameters.warnScore && violated > 0
      ? [`${violated} of the last ${driftParameters.scoreSteps} steps broke a rule`]
      : []),
  ];
  return { level, score: Number(score.toFixed(4)), divergence, reasons };
}

function levelAt(strength: number, otherwise: 'normal' | 'watch'): DriftLevel {
  if (strength >= driftParameters.criticalScore) return 'critical';
  return strength >= driftParameters.warnScore ? 'warn' : otherwise;
}

function countViolations(marks: string): number {
  let count = 0;
  for (const mark of marks) if (mark !== '.') count++;
  return count;
}
