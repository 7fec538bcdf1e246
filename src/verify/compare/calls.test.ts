import { describe, expect, test } from 'vitest';
import { findCallChanges } from './calls.ts';
import { findNewErrors } from './errors.ts';
import { against, recording, request } from './recorded.fixture.ts';

const ask = (path: string) => ({ to: 'flags', method: 'GET', path });
const failing = (was: string[], is: string[]) =>
  findCallChanges(
    against(() => recording(request(was.map(ask))), recording(request(is.map(ask)))),
  ).filter(({ severity }) => severity === 'fail');

describe('reads of one service below one request', () => {
  test('are found if there is one for each item, whatever their paths', () => {
    const found = failing(['/flags'], ['/flags', '/flags/a', '/flags/b', '/flags/c']);
    expect(found).toMatchObject([
      { what: 'call-repeated', service: 'orders', before: '1 times', after: '4 times' },
    ]);
  });

  test('are ignored if there are only one or two more', () => {
    expect(failing(['/flags'], ['/flags', '/flags/a', '/flags/b'])).toEqual([]);
  });
});

describe('a warning of the runtime', () => {
  const logged = (text: string) => recording([], { logs: [{ service: 'validation', text }] });
  const found = (text: string) => findNewErrors(against(() => recording([]), logged(text)));

  test('is an error of a new kind', () => {
    const line = '(node:7) MaxListenersExceededWarning: Possible EventEmitter memory leak';
    expect(found(line)).toMatchObject([{ what: 'error-new', service: 'validation' }]);
  });

  test.each(['(node:7) [DEP0040] DeprecationWarning: punycode', 'ExperimentalWarning: SQLite'])(
    'about a deprecation is no error: %s',
    (line) => {
      expect(found(line)).toEqual([]);
    },
  );
});
