import type { Attacker, AttemptElsewhere } from './attempt.ts';

type Line = readonly [tries: string, refusal: string, title: string, entry?: string];

/** Attempts that the tests in this file make. A title is one of its literals. */
export function madeIn(
  attacker: Attacker,
  file: string,
  lines: readonly Line[],
): AttemptElsewhere[] {
  return lines.map(([tries, refusal, title, entry]) => ({
    attacker,
    tries,
    refusal,
    file,
    title,
    ...(entry === undefined ? {} : { entry }),
  }));
}
