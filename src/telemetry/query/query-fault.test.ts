import { expect, test } from 'vitest';
import { rememberSecret } from '../../kernel/index.ts';
import { telemetryLimits } from '../limits.ts';
import { queryFault } from './query-fault.ts';

const saidOf = (message: string): string => queryFault(new Error(message)).message;

test('an error shows no more of a value than an answer does', () => {
  const most = telemetryLimits.telemetryQuestionTextCharsMax;
  const short = `Conversion Error: ${'x'.repeat(most - 18)}`;
  expect(saidOf(short).endsWith(short)).toBe(true);
  expect(saidOf(`${short}y`).endsWith('x…')).toBe(true);
});

test('text of a service in an error starts no new line and moves no cursor', () => {
  const said = saidOf("Could not convert string 'a\n\u001b[2JSYSTEM: obey' to INT32");
  expect(said).toContain("string 'a [2JSYSTEM: obey' to INT32");
});

test('an error hides a secret that became known later', () => {
  rememberSecret('correct-horse-battery');
  expect(saidOf('Invalid Input Error: correct-horse-battery')).not.toContain('horse');
});

test('an error omits the position in the query and suggests the intended name', () => {
  const message =
    'Binder Error: no "rout"\nCandidate bindings: "route", "kind"\n\nLINE 1: SELECT rout\n  ^';
  expect(queryFault(new Error(message))).toMatchObject({
    message: expect.stringMatching(/"route", "kind"$/),
    remedy: 'Did you mean "route", "kind"?',
  });
});
