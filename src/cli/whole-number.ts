import { fault } from '../kernel/index.ts';

/** A count given by a flag, or its default. */
export function wholeNumber(
  flag: string,
  given: string | boolean | undefined,
  otherwise: number,
): number {
  if (given === undefined) return otherwise;
  const number = Number(given);
  if (Number.isSafeInteger(number) && number >= 0 && given !== '') return number;
  const reason = `${flag} takes a whole number, not "${given}"`;
  throw fault('USAGE', { reason, help: 'surety --help' });
}
