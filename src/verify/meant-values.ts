import type { Confirmed } from './confirmation.ts';
import type { Difference } from './differences/index.ts';

/**
 * Whoever first shows by a test that something is wrong means to change what is told: other numbers
 * are then only told, and whether they are the right ones is for that test to say.
 */
export function withMeantValues(confirmed: Confirmed, isMeant: boolean): Confirmed {
  if (!isMeant) return confirmed;
  const isValue = ({ what }: Difference): boolean => what === 'value-changed';
  const { differences, notices } = confirmed;
  return {
    ...confirmed,
    differences: differences.filter((one) => !isValue(one)),
    notices: [...notices, ...differences.filter(isValue)],
  };
}
