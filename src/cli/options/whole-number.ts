import { fault } from '../../kernel/index.ts';

/** A count given by a flag, or its default. */
export function wholeNumber(
  flag: string,
  given: string | boolean | undefined,
  otherwise: number,
  least = 0,
): number {
  if (given === undefined) return otherwise;
  const number = Number(given);
  if (Number.isSafeInteger(number) && number >= least && given !== '') return number;
  const range = least === 0 ? '' : ` from ${least} on`;
  const reason = `${flag} takes a whole number${range}, not "${given}"`;
  throw fault('USAGE', { reason, help: 'surety --help' });
}
