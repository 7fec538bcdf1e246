import type { Dispute } from '../api-schema.ts';
import { differenceName, markDisputedChecks } from '../judge/finding-id.ts';
import type { Round } from '../observe/round.ts';
import { type SensitiveValue, sensitiveValues } from '../traffic/sensitive-values.ts';
import type { Difference } from './difference.ts';
import { findDifferencesInSteps } from './find-differences.ts';

/** Rounds of the same requests, each candidate compared with the controls of other rounds. */
export class ComparedRounds {
  readonly changed: readonly string[];
  readonly rounds: Round[] = [];
  readonly #disputes: readonly Dispute[];
  readonly #replaced: readonly string[];
  /** By the candidate's round, then by the control's. Each pair is compared once. */
  readonly #differences: (readonly Difference[])[][] = [];

  /** Of the requests of the first round, which later rounds repeat. */
  #sensitive: readonly SensitiveValue[] | undefined;

  /** Replaced suites send requests to compare, and do not judge the change. */
  constructor(
    changed: readonly string[],
    disputes: readonly Dispute[] = [],
    replaced: readonly string[] = [],
  ) {
    this.changed = changed;
    this.#disputes = disputes;
    this.#replaced = replaced;
  }

  async add(round: Round): Promise<void> {
    const { candidate } = round;
    const runs = candidate.runs
      .filter(({ suite }) => !this.#replaced.includes(suite))
      .map((run) => markDisputedChecks(run, this.#disputes));
    this.rounds.push({ ...round, candidate: { ...candidate, runs } });
    this.#differences.push([]);
    for (const [index, found] of this.#differences.entries()) {
      for (const other of this.#controlsFor(index)) {
        found[other] ??= await this.#compare(index, other);
      }
    }
  }

  /**
   * By round, what differs from the control of every other round. What differs only from some of
   * them also differs between two controls, so it is noise.
   */
  differences(): Difference[][] {
    return this.rounds.map((_, index) => {
      const found = this.#controlsFor(index).map(
        (other) => this.#differences[index]?.[other] ?? [],
      );
      const [first = [], ...more] = found;
      return first.filter((one) => timesFound(one, more) === more.length);
    });
  }

  /** What the first round alone shows: also noise, which only another control reveals. */
  firstAlone(): readonly Difference[] {
    return this.#differences[0]?.[0] ?? [];
  }

  /** A round's own control only counts as long as there is no other. */
  #controlsFor(index: number): number[] {
    const all = [...this.rounds.keys()];
    return all.length === 1 ? all : all.filter((other) => other !== index);
  }

  #compare(index: number, other: number): Promise<readonly Difference[]> {
    const [round, known] = [this.rounds[index] as Round, this.rounds[other] as Round];
    this.#sensitive ??= sensitiveValues(this.rounds[0]?.control.scenarios ?? []);
    const recordings = { ...round, baseline: known.control, sensitive: this.#sensitive };
    const [changed, disputes] = [this.changed, this.#disputes];
    return findDifferencesInSteps({ recordings, changed, disputes });
  }
}

/** In how many of these lists a difference is. */
export function timesFound(
  difference: Difference,
  lists: readonly (readonly Difference[])[],
): number {
  const name = differenceName(difference);
  return lists.filter((list) => list.some((one) => differenceName(one) === name)).length;
}
