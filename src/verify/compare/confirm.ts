import type { ObservedTest, RoundObservations } from '../observe/observe-rounds.ts';
import { type Confirmation, confirmRounds, isFailing } from './confirmation.ts';
import { isValue } from './difference.ts';
import { type Difference, hopName } from './index.ts';

/** Pure: what the observations show for certain, and what they leave in doubt. */
export function confirm(observations: RoundObservations): Confirmation {
  const { compared, edited, deaths, doubts } = observations;
  const confirmed = confirmRounds(compared, intendedBy(testsOf(observations)));
  return {
    ...confirmed,
    candidate: [...confirmed.candidate, ...edited.map(({ candidate }) => candidate)],
    differences: [...deaths.filter(isFailing), ...confirmed.differences],
    notices: [...deaths.filter((one) => !isFailing(one)), ...confirmed.notices],
    // Why there is too little to compare comes first: a verdict names the first doubt.
    doubts: [...doubts, ...confirmed.doubts],
  };
}

/** What says which answers the change is meant to change. */
export function testsOf({
  test,
  edited,
}: Pick<RoundObservations, 'test' | 'edited'>): readonly ObservedTest[] {
  return test ? [test, ...edited] : edited;
}

/**
 * The author of a test that fails on the baseline means to change what its requests are answered.
 * Other values on their way, and refusals that are lost, are notices then: whether they are right
 * is for the test to decide, and so is what the same route refuses of requests that nobody sent
 * before. Whom a service lets in (401 and 403) is not.
 */
export function intendedBy(tests: readonly ObservedTest[]): (difference: Difference) => boolean {
  const tested = tests.filter(failsOnBaseline).flatMap(({ hops }) => hops.map(hopName));
  const names = [...new Set(tested)];
  return (one) => {
    const { hop } = one;
    if (hop === null) return false;
    // With something else in the request.
    const isOdd = names.some((name) => hop.startsWith(`${name}, `));
    if (isOdd && isRefusedNow(one)) return true;
    const isLostRefusal = one.what === 'refusal-lost' && one.class === 'status';
    return (isOdd || names.includes(hop)) && (isValue(one) || isLostRefusal);
  };
}

/** All such requests get an answer of 4xx, other than 401 and 403. */
function isRefusedNow({ what, after }: Difference): boolean {
  return what === 'status-worse' && /^4(?!01|03)\d\d in (\d+) of \1$/.test(after);
}

/** Why a test proves nothing about the change; empty if it does. */
export function whyTestProvesNothing(test: ObservedTest | undefined): string[] {
  if (test === undefined || failsOnBaseline(test)) return [];
  const { suite, result } = test.control;
  return [`test ${suite} does not fail on the baseline (${result}), so it proves nothing`];
}

export function failsOnBaseline({ control }: ObservedTest): boolean {
  return control.result === 'failed';
}
