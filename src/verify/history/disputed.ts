import type { Difference } from '../compare/index.ts';
import { checkId, differenceId } from '../judge/finding-id.ts';
import type { Check, SuiteRun } from '../suites/run-suite.ts';
import type { Dispute } from './disputes.ts';

/**
 * What somebody said is no finding. It is taken out before anything goes by it: a change that does
 * something disputed is looked at as closely as any other.
 */
export class Disputed {
  readonly disputes: readonly Dispute[];
  readonly #ids: ReadonlySet<string>;

  constructor(disputes: readonly Dispute[]) {
    this.disputes = disputes;
    this.#ids = new Set(disputes.map(({ finding }) => finding));
  }

  hasDifference(difference: Difference): boolean {
    return this.#ids.has(differenceId(difference));
  }

  /** What is left to be judged by. */
  without(differences: readonly Difference[]): Difference[] {
    return differences.filter((one) => !this.hasDifference(one));
  }

  /** The suite as if it had not had these checks. */
  held(run: SuiteRun): SuiteRun {
    const checks = run.checks.filter((check) => !this.#hasCheck(run, check));
    if (checks.length === run.checks.length) return run;
    const isCleared = run.result === 'failed' && checks.every(({ passed }) => passed);
    return { ...run, checks, result: isCleared ? 'passed' : run.result };
  }

  /** The ids of all that was seen and is disputed. */
  among(differences: readonly Difference[], runs: readonly SuiteRun[] = []): string[] {
    const checks = runs.flatMap((run) =>
      run.checks
        .filter((check) => this.#hasCheck(run, check))
        .map((check) => checkId(run.suite, check)),
    );
    const ids = differences.map(differenceId).filter((id) => this.#ids.has(id));
    return [...new Set([...ids, ...checks])];
  }

  #hasCheck({ suite }: SuiteRun, check: Check): boolean {
    return !check.passed && this.#ids.has(checkId(suite, check));
  }
}
