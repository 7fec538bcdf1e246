import { driftParameters } from '../parameters.ts';
import { totalOf } from '../statistics/divergence.ts';
import { screenShift, testShift } from '../statistics/shift-test.ts';
import type { DimensionState } from './behaviour-row.ts';
import { countLetters, trimCounts, widen } from './categories.ts';

/**
 * A dimension after one more block of actions. The first blocks are the reference. Later ones are
 * compared with it; when they leave the window they join a reference that is not yet complete,
 * unless behaviour has shifted: drift must not become its own reference.
 */
export function addBlock(state: DimensionState, block: string, seed: number): DimensionState {
  const { reference } = state;
  if (totalOf(reference) < driftParameters.referenceMin) {
    return { ...state, reference: learn(reference, [block]) };
  }
  const blocks = [...state.blocks, block];
  const kept = blocks.slice(-driftParameters.longBlocks);
  const left = blocks.slice(0, blocks.length - kept.length);
  const learns = !state.isShifted && totalOf(reference) < driftParameters.referenceMax;
  const next = { ...state, blocks: kept, reference: learns ? learn(reference, left) : reference };
  return { ...next, ...compare(next, seed) };
}

function learn(reference: readonly number[], blocks: readonly string[]): readonly number[] {
  if (blocks.length === 0) return reference;
  return trimCounts(countLetters(blocks, widen(reference)));
}

type Comparison = Pick<DimensionState, 'isShifted' | 'divergence' | 'p'>;

/** Compares the short and the long window; the larger significant difference counts. */
function compare({ reference, blocks, isShifted }: DimensionState, seed: number): Comparison {
  const usual = widen(reference);
  const windows = [blocks.slice(-driftParameters.shortBlocks), blocks];
  const recent = windows.map((window) => countLetters(window));
  if (isShifted) return stillShifted(usual, recent);
  const tests = recent.map((counts, index) => testShift(usual, counts, seed + index));
  const found = tests.filter((test) => test.isSignificant);
  const p = Math.min(...tests.map((test) => test.p));
  const divergence = Math.max(...(found.length > 0 ? found : tests).map((one) => one.divergence));
  return { isShifted: found.length > 0, ...rounded(divergence, p) };
}

/** A shift that was confirmed needs no permutations; it ends when both windows look usual again. */
function stillShifted(usual: readonly number[], recent: readonly number[][]): Comparison {
  const screens = recent.map((counts) => screenShift(usual, counts));
  const p = Math.min(...screens.map((screen) => screen.p));
  const divergence = Math.max(...screens.map((screen) => screen.divergence));
  return { isShifted: p < driftParameters.calmMin, ...rounded(divergence, p) };
}

/** Few digits, because rows are stored as text. */
function rounded(divergence: number, p: number): Pick<Comparison, 'divergence' | 'p'> {
  return { divergence: Number(divergence.toFixed(4)), p: Number(p.toPrecision(3)) };
}

/** Takes recent behaviour as the reference from now on. */
export function acceptRecent(state: DimensionState, open: string): DimensionState {
  // While nothing is recent, the reference itself is still being learned.
  const isLearning = state.blocks.length === 0;
  return learnRecent({ ...state, reference: isLearning ? state.reference : [] }, open);
}

/** Adds recent behaviour to the reference. */
export function learnRecent(state: DimensionState, open: string): DimensionState {
  const { names, blocks } = state;
  const reference = learn(state.reference, [...blocks, open]);
  return { names, reference, blocks: [], isShifted: false, divergence: 0, p: 1 };
}
