import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCursor, writeCursor } from './cursor.ts';
import { nameInside, nameOutside } from './names.ts';

const serverName = fc.stringMatching(/^[a-z][a-z0-9-]{0,39}$/);

describe('names', () => {
  test('of several servers never collide, and are found again', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(serverName, { minLength: 2, maxLength: 5 }),
        fc.string({ minLength: 1 }),
        fc.string({ minLength: 1 }),
        ([one = '', other = '', ...more], a, b) => {
          const servers = [one, other, ...more];
          const outside = nameOutside(one, a, false);
          expect(outside).not.toBe(nameOutside(other, b, false));
          expect(nameInside(outside, servers)).toEqual({ server: one, name: a });
        },
      ),
    );
  });

  test('of a single server stay unchanged', () => {
    expect(nameOutside('files', 'a.b', true)).toBe('a.b');
    expect(nameInside('a.b', ['files'])).toEqual({ server: 'files', name: 'a.b' });
    expect(nameInside('nobody.b', ['files', 'other'])).toBeUndefined();
    expect(nameInside('plain', ['files', 'other'])).toBeUndefined();
  });
});

describe('a cursor', () => {
  test('over several servers says where to go on', () => {
    expect(readCursor(writeCursor({ server: 2, within: 'x' }, false), false)).toEqual({
      server: 2,
      within: 'x',
    });
    expect(readCursor(undefined, false)).toEqual({ server: 0 });
    expect(readCursor('made up', false)).toBeUndefined();
    for (const server of [-1, Number.MIN_SAFE_INTEGER, 0.5, '0', null]) {
      const text = Buffer.from(JSON.stringify([server, null])).toString('base64url');
      expect(readCursor(text, false)).toBeUndefined();
    }
  });

  test('of a single server stays unchanged', () => {
    expect(writeCursor({ server: 0, within: 'x' }, true)).toBe('x');
    expect(readCursor('x', true)).toEqual({ server: 0, within: 'x' });
  });
});
