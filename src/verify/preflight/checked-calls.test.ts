import { expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import { withoutDoubts } from './checked-calls.ts';

const hop = (from: string, more: Partial<Hop> = {}): Hop =>
  ({
    from,
    to: 'rates',
    requestId: 'r1',
    traceId: null,
    escaped: false,
    path: '/',
    ...more,
  }) as Hop;
const doubt = hop('shop', { escaped: true, method: 'timer', path: 'shared' });

test('a call of a timer counts as lost only if the request did not make that call with its key', () => {
  expect(withoutDoubts([hop('shop'), doubt])).toEqual([hop('shop')]);
  expect(withoutDoubts([hop('edge'), doubt])).toEqual([hop('edge'), doubt]);
  const other = hop('shop', { requestId: 'r2' });
  expect(withoutDoubts([other, doubt])).toEqual([other, doubt]);
});
