import { driftParameters } from '../parameters.ts';
import { isLearned, learnValue, observeValue } from '../statistics/change-detector.ts';
import {
  type BehaviourPastRow,
  type BehaviourRow,
  type DimensionName,
  evidenceOf,
  type ScalarName,
  scalarRises,
} from './behaviour-row.ts';
import { addCounts, countLetters, letterOfName, trimCounts } from './categories.ts';
import { addBlock } from './dimension.ts';

/**
 * Both rows of an agent while one entry is applied. `now` is a copy that is changed in place,
 * because it changes with every action; `past` is replaced, which is rare.
 */
export interface Behaviour {
  readonly now: OpenBehaviour;
  past: BehaviourPastRow;
}

type OpenBehaviour = {
  -readonly [Field in keyof BehaviourRow]: Field extends 'open' | 'scalars'
    ? { -readonly [Name in keyof BehaviourRow[Field]]: BehaviourRow[Field][Name] }
    : BehaviourRow[Field];
};

export function openBehaviour(row: BehaviourRow, past: BehaviourPastRow): Behaviour {
  return { now: { ...row, open: { ...row.open }, scalars: { ...row.scalars } }, past };
}

/** Adds an action whose category has a name. */
export function addNamed(
  state: Behaviour,
  dimension: DimensionName,
  name: string,
  seed: number,
): void {
  const { past } = state;
  const known = past.dimensions[dimension];
  const { letter, names } = letterOfName(known.names, name);
  if (names !== known.names) {
    const dimensions = { ...past.dimensions, [dimension]: { ...known, names } };
    state.past = { ...past, dimensions };
  }
  addLetter(state, dimension, letter, seed);
}

/** Adds an action to the open block, and closes the block when it is full. */
export function addLetter(
  state: Behaviour,
  dimension: DimensionName,
  letter: string,
  seed: number,
): void {
  const { now, past } = state;
  const block = now.open[dimension] + letter;
  const isFull = block.length >= driftParameters.blockActions;
  now.open[dimension] = isFull ? '' : block;
  if (!isFull) return;
  const compared = addBlock(past.dimensions[dimension], block, seed);
  const dimensions = { ...past.dimensions, [dimension]: compared };
  const totals = dimension === 'tools' ? { toolTotals: addTotals(past, block) } : {};
  state.past = { ...past, dimensions, ...totals };
}

function addTotals({ toolTotals }: BehaviourPastRow, block: string): number[] {
  return trimCounts(addCounts(toolTotals, countLetters([block])));
}

/** Adds a value of a scalar signal: learned first, then watched. */
export function addScalar(state: Behaviour, name: ScalarName, value: number): void {
  const { now, past } = state;
  const usual = past.usual[name];
  if (!isLearned(usual)) {
    state.past = { ...past, usual: { ...past.usual, [name]: learnValue(usual, value) } };
    return;
  }
  const observation = { rise: scalarRises[name], number: now.totals.steps };
  const before = evidenceOf(now.scalars[name]);
  const { evidence, since } = observeValue(before, value, usual, observation);
  now.scalars[name] = [evidence, since];
}
