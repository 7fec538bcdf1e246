import type { ObservedTest, RoundObservations } from '../observe/observe-rounds.ts';
import { type Confirmation, confirmRounds, isFailing } from './confirmation.ts';
import { isValue } from './difference.ts';
import { type Difference, hopName } from './index.ts';

/** Pure: what the observations show for certain, and what they leave in doubt. */
export function confirm(observations: RoundObservations): Confirmation {
  const { compared, edited, deaths, doubts } = observations;
  const confirmed = withIntendedValues(confirmRounds(compared), testsOf(observations));
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
 * is for the test to decide. Whom a service lets in (401 and 403) is not.
 */
export function withIntendedValues(
  confirmation: Confirmation,
  tests: readonly ObservedTest[],
): Confirmation {
  const hops = [
    ...new Set(tests.filter(failsOnBaseline).flatMap((test) => test.hops.map(hopName))),
  ];
  if (hops.length === 0) return confirmation;
  // Also with something else in the request.
  const isTested = (hop: string): boolean =>
    hops.some((name) => hop === name || hop.startsWith(`${name}, `));
  const isIntended = (one: Difference): boolean =>
    (isValue(one) || (one.what === 'refusal-lost' && one.class === 'status')) &&
    one.hop !== null &&
    isTested(one.hop);
  const { differences, notices } = confirmation;
  return {
    ...confirmation,
    differences: differences.filter((one) => !isIntended(one)),
    notices: [...notices, ...differences.filter(isIntended)],
  };
}

/** Why a test proves nothing about the change; empty if it does. */
export function whyTestProvesNothing(test: ObservedTest | undefined): string[] {
  if (test === undefined || failsOnBaseline(test)) return [];
  const { suite, result } = test.control;
  return [`test ${suite} does not fail on the baseline (${result}), so it proves nothing`];
}

function failsOnBaseline({ control }: ObservedTest): boolean {
  return control.result === 'failed';
}
