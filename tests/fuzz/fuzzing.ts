import { setImmediate } from 'node:timers/promises';
import { seeded } from '../harness/seeded.ts';
import { below, pick, type Random } from './mutate.ts';

/** Something that takes input from outside. */
export interface FuzzTarget extends AsyncDisposable {
  /** Inputs to begin with. */
  readonly seeds: readonly Buffer[];
  /** How many executions there may be at once; one if it is not given. */
  readonly atOnce?: number;
  /** An input from a known one, by these random numbers. */
  make(random: Random, base: Buffer, others: readonly Buffer[]): Buffer;
  /**
   * Returns the kind of outcome: an input with a new one is kept and changed further. Throws if
   * the input is neither accepted nor refused in the right way.
   */
  execute(input: Buffer): string | Promise<string>;
}

export interface Finding {
  readonly input: Buffer;
  readonly error: string;
}

/** Where a campaign is. It can be saved and continued. */
export interface FuzzState {
  readonly seed: number;
  executions: number;
  readonly outcomes: Map<string, number>;
  /** Inputs with a kind of outcome that was new. */
  readonly corpus: Buffer[];
}

const yieldEvery = 200;
const corpusMax = 1_000;
const outcomesMax = 5_000;

export function newFuzzState(seed: number): FuzzState {
  return { seed, executions: 0, outcomes: new Map(), corpus: [] };
}

export interface FuzzWatcher {
  /** Before each execution, so that an input that never ends is known. */
  begin(input: Buffer): void;
  found(finding: Finding): void;
  /** True once somebody wants it to end. */
  isStopped?(): boolean;
}

/** Executes the target until it was executed so often in all. */
export async function fuzz(
  target: FuzzTarget,
  state: FuzzState,
  executions: number,
  { begin, found, isStopped = () => false }: FuzzWatcher,
): Promise<void> {
  const work = async (): Promise<void> => {
    while (state.executions < executions && !isStopped()) {
      // Timers save the state.
      if (state.executions % yieldEvery === 0) await setImmediate();
      const input = nextInput(target, state);
      begin(input);
      try {
        const outcome = target.execute(input);
        note(state, typeof outcome === 'string' ? outcome : await outcome, input);
      } catch (error) {
        found({ input, error: (error as Error)?.stack ?? String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: target.atOnce ?? 1 }, work));
}

function nextInput(target: FuzzTarget, state: FuzzState): Buffer {
  // Neighbouring seeds of the generator give unrelated numbers only after a few steps.
  const random = seeded(Math.imul(state.seed * 1_000_003 + state.executions++, 0x9e3779b1));
  random();
  const known = [...target.seeds, ...state.corpus.slice(-50)];
  const base =
    random() < 0.5
      ? pick(random, target.seeds)
      : (state.corpus[below(random, state.corpus.length)] ?? pick(random, target.seeds));
  return target.make(random, base, known);
}

function note(state: FuzzState, outcome: string, input: Buffer): void {
  const { outcomes, corpus } = state;
  const count = outcomes.get(outcome);
  if (count === undefined && outcomes.size < outcomesMax && corpus.length < corpusMax) {
    corpus.push(Buffer.from(input));
  }
  if (count !== undefined || outcomes.size < outcomesMax) outcomes.set(outcome, (count ?? 0) + 1);
}

/** A message without what differs from input to input, to tell kinds of outcomes apart. */
export function kindOf(message: string): string {
  return message
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, '…')
    .replaceAll(/\d+/g, '0')
    .split('\n')
    .slice(0, 2)
    .join(' ')
    .slice(0, 60);
}
