import type { Round } from '../observe/round.ts';
import type { SuiteRun } from './run-suite.ts';

/**
 * Pure. Suites that passed and looked at less than on the version before: a loop over a list that
 * has become empty checks nothing, and fails nothing.
 */
export function fewerChecks(rounds: readonly Round[]): string[] {
  const control = rounds.map((round) => round.control.runs);
  const candidate = rounds.map((round) => round.candidate.runs);
  const suites = new Set(candidate.flat().map(({ suite }) => suite));
  return [...suites].flatMap((suite) => {
    const was = Math.min(...counts(suite, control));
    const is = Math.max(...counts(suite, candidate));
    // One that broke off or failed is told as such.
    return is < was && [...control, ...candidate].every((runs) => hasPassed(suite, runs))
      ? [`suite ${suite} had ${is} checks instead of ${was}: it looked at less than before`]
      : [];
  });
}

function counts(suite: string, rounds: readonly (readonly SuiteRun[])[]): number[] {
  return rounds.map((runs) =>
    runs.filter((run) => run.suite === suite).reduce((sum, { checks }) => sum + checks.length, 0),
  );
}

function hasPassed(suite: string, runs: readonly SuiteRun[]): boolean {
  return runs.every((run) => run.suite !== suite || run.result === 'passed');
}
