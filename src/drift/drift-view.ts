import type { DriftLevelRow } from '../kernel/index.ts';
import { driftLevelKey } from '../kernel/index.ts';
import { type Ledger, readRow } from '../ledger/index.ts';
import type { DriftView } from './api-schema.ts';
import {
  type BehaviourPastRow,
  type BehaviourRow,
  behaviourKey,
  behaviourPastKey,
  type DimensionName,
  dimensionNames,
  evidenceOf,
  newPast,
  scalarNames,
} from './behaviour/behaviour-row.ts';
import { countLetters, nameOfCategory, widen } from './behaviour/categories.ts';
import { assessDrift } from './behaviour/level.ts';
import { driftParameters } from './parameters.ts';
import { hasChanged, isLearned } from './statistics/change-detector.ts';
import { totalOf } from './statistics/divergence.ts';

/** Both rows of an agent; undefined if it never proposed anything. */
export async function readBehaviour(
  ledger: Ledger,
  agent: string,
): Promise<{ now: BehaviourRow; past: BehaviourPastRow } | undefined> {
  const now = await readRow<BehaviourRow>(ledger, behaviourKey(agent));
  if (!now) return undefined;
  return {
    now,
    past: (await readRow<BehaviourPastRow>(ledger, behaviourPastKey(agent))) ?? newPast(),
  };
}

/** The agents that ever proposed something. */
export async function listBehaviours(ledger: Ledger): Promise<string[]> {
  const agents: string[] = [];
  const prefix = behaviourKey('');
  for await (const { key } of ledger.rows(prefix)) agents.push(key.slice(prefix.length));
  return agents;
}

export async function viewDrift(ledger: Ledger, agent: string): Promise<DriftView | undefined> {
  const behaviour = await readBehaviour(ledger, agent);
  if (!behaviour) return undefined;
  const { now, past } = behaviour;
  const row = await readRow<DriftLevelRow>(ledger, driftLevelKey(agent) ?? '');
  const { level, score, reasons } = assessDrift(now, past);
  return {
    agent,
    level,
    score,
    reasons: [...reasons],
    since: level === 'normal' ? null : (row?.at ?? null),
    steps: now.totals.steps,
    isLearning: totalOf(past.dimensions.tools.reference) < driftParameters.referenceMin,
    profile: past.profile,
    comparedWith: past.comparedWith,
    dimensions: dimensionNames.map((name) => viewDimension(name, past)),
    signals: scalarNames.map((signal) => {
      const { sum, count } = past.usual[signal];
      const usual = isLearned(past.usual[signal]) ? Number((sum / count).toFixed(4)) : null;
      const evidence = evidenceOf(now.scalars[signal]);
      return { signal, usual, hasRisen: hasChanged(evidence), since: evidence.since };
    }),
  };
}

function viewDimension(
  dimension: DimensionName,
  { dimensions }: BehaviourPastRow,
): DriftView['dimensions'][number] {
  const { names, reference, blocks, divergence, p, isShifted } = dimensions[dimension];
  const [before, now] = [widen(reference), countLetters(blocks)];
  const [sumBefore, sumNow] = [totalOf(before), totalOf(now)];
  const changes = before
    .map((count, index) => ({
      category: nameOfCategory(names, index),
      before: shareOf(count, sumBefore),
      now: shareOf(now[index] ?? 0, sumNow),
    }))
    .filter((change) => sumNow > 0 && change.before !== change.now)
    .sort((one, other) => sizeOf(other) - sizeOf(one));
  const sizes = { reference: sumBefore, recent: sumNow };
  return { dimension, divergence, p, isShifted, ...sizes, changes: changes.slice(0, changesShown) };
}

const changesShown = 5;

const shareOf = (count: number, all: number): number =>
  all === 0 ? 0 : Number((count / all).toFixed(3));

const sizeOf = ({ before, now }: { before: number; now: number }): number => Math.abs(now - before);
