import { describe, expect, test } from 'vitest';
import { isErrorLine } from './errors.ts';

describe('a plain log line', () => {
  test.each([
    'ERROR could not charge the card',
    'error: ECONNREFUSED 127.0.0.1:5432',
    'charging failed with an error of the bank',
    "TypeError: Cannot read properties of undefined (reading 'id')",
    'java.lang.NullPointerException: null',
    'Traceback (most recent call last):',
    'panic: runtime error: index out of range',
    'the error handler caught KeyError: 3',
    '(node:1) MaxListenersExceededWarning: possible leak',
  ])('reports an error: %s', (text) => {
    expect(isErrorLine(text)).toBe(true);
  });

  test.each([
    'error rate 0.00 over 60 s',
    'no error since the start',
    'checked 3 orders without errors',
    'done, 0 errors',
    'errors: 0, orders: 12',
    'installed the error handler',
    'a mirror, a terror and an errand',
  ])('only mentions an error: %s', (text) => {
    expect(isErrorLine(text)).toBe(false);
  });
});
