import { fault } from '../../kernel/index.ts';

/** The text of a required flag. */
export function neededOption(
  command: string,
  flag: string,
  given: string | boolean | undefined,
): string {
  if (typeof given === 'string' && given !== '') return given;
  throw fault('USAGE', { reason: `${command} needs ${flag}`, help: `surety ${command} --help` });
}
