import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCursor, writeCursor } from './cursor.ts';
import { isOwnName, listedName, nameInside, nameOutside, unlistedName } from './names.ts';

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

describe('listed names', () => {
  test('are accepted by model providers, differ, and lead back where nothing was left out', () => {
    const accepted = /^[a-zA-Z0-9_-]{1,64}$/;
    const toolName = fc.stringMatching(/^[\w./:@+-]{1,80}$/);
    fc.assert(
      fc.property(serverName, toolName, toolName, (server, a, b) => {
        const names = [nameOutside(server, a, false), nameOutside(server, b, false)];
        const listed = names.map((name) => listedName(name, false));
        for (const one of listed) expect(one).toMatch(accepted);
        expect(new Set(listed).size).toBe(new Set(names).size);
        if (!accepted.test(`${server}__${a}`)) return;
        expect(unlistedName(String(listed[0]), [server, 'other-server'])).toBe(names[0]);
      }),
    );
  });

  test.each([
    ['files.read_file', 'files__read_file'],
    ['shop.order.get', 'shop__order_get_dedf2ac4'],
  ])('of %s is %s', (name, listed) => {
    expect(listedName(name, false)).toBe(listed);
    expect(listedName(name, true)).toBe(name);
  });

  test('without a prefix, or with one server, are left as they are', () => {
    expect(unlistedName('files__x', ['files'])).toBe('files__x');
    expect(unlistedName('nobody__x', ['files', 'shop'])).toBe('nobody__x');
    expect(unlistedName('files.x', ['files', 'shop'])).toBe('files.x');
  });

  test('of Surety itself have an underscore; the dot of earlier releases is accepted', () => {
    expect(['surety_approval_status', 'surety.approval_status'].every(isOwnName)).toBe(true);
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
