import type { Hop } from '../../lanes/index.ts';
import type { SuiteRun } from '../suites/run-suite.ts';
import type { Confirmed } from './confirmation.ts';
import { type Difference, hopName } from './index.ts';

/** A test that came with a change, on both versions, and the calls that it led to. */
export interface ShownTest {
  readonly control: SuiteRun;
  readonly candidate: SuiteRun;
  readonly hops: readonly Hop[];
}

/** A test that holds without the change as well says nothing about it. */
export function whyUnshown(test: ShownTest | undefined): string[] {
  if (test === undefined || isShown(test)) return [];
  const { suite, result } = test.control;
  return [`test ${suite} does not fail on the version before (${result}): it shows nothing`];
}

function isShown({ control }: ShownTest): boolean {
  return control.result === 'failed';
}

/**
 * Whoever first shows by a test that something is wrong means to change what is told there: other
 * numbers on its way are only told, and whether they are right is for that test to say.
 */
export function withMeantValues(confirmed: Confirmed, test: ShownTest | undefined): Confirmed {
  if (test === undefined || !isShown(test)) return confirmed;
  const onItsWay = new Set(test.hops.map(hopName));
  const isMeant = ({ what, hop }: Difference): boolean =>
    what === 'value-changed' && hop !== null && onItsWay.has(hop);
  const { differences, notices } = confirmed;
  return {
    ...confirmed,
    differences: differences.filter((one) => !isMeant(one)),
    notices: [...notices, ...differences.filter(isMeant)],
  };
}
