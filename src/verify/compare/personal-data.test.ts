import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { newPersonalData } from './personal-data.ts';
import { against, recording, request } from './recorded.fixture.ts';
import { findSecurityChanges } from './security.ts';

/** An order from outside, with the answer of the service behind the entrance. */
const answered = (outer: Json, inner: Json = null, requestBody: Json = null) =>
  recording(request([{ to: 'users', responseBody: inner }], { responseBody: outer, requestBody }));
const plain = { id: 'o-1', state: 'paid' };

describe('data about people in an answer', () => {
  const find = (candidate: ReturnType<typeof answered>, known = answered(plain, {})) =>
    newPersonalData([known], candidate).map(({ service, what, after }) => [service, what, after]);

  test.each([
    ['an e-mail address', { email: 'ada@example.org' }, 'e-mail address'],
    ['an e-mail address in a text', { note: 'ask ada@example.org' }, 'e-mail address'],
    ['a bank account', { payout: 'DE89370400440532013000' }, 'bank account'],
    ['a field that is about a person', { phone: '+49 30 1234' }, 'phone'],
  ])('is a finding where there was none: %s', (_, more, kind) => {
    expect(find(answered({ ...plain, ...more }, {}))).toEqual([
      ['orders', 'exposed', `personal data (${kind})`],
    ]);
  });

  test('is a change of security', () => {
    const leak = answered({ ...plain, email: 'ada@example.org' }, {});
    const found = findSecurityChanges(against(() => answered(plain, {}), leak));
    expect(found).toMatchObject([{ class: 'security', severity: 'fail', service: 'orders' }]);
  });

  test('is also told of the service that it comes from', () => {
    const leak = { email: 'ada@example.org' };
    const services = find(answered({ ...plain, ...leak }, { reviews: [leak] })).map(([one]) => one);
    expect(services).toEqual(['orders', 'users']);
  });

  test('is no finding between services, if it does not leave the system', () => {
    expect(find(answered(plain, { email: 'ada@example.org' }))).toEqual([]);
  });

  test('is no finding if such an answer had some before, or if the request carried it', () => {
    const leak = answered({ ...plain, email: 'ada@example.org' }, {});
    expect(find(leak, answered({ ...plain, email: 'bob@example.org' }, {}))).toEqual([]);
    const sent = { email: 'ada@example.org' };
    expect(find(answered({ ...plain, ...sent }, {}, sent))).toEqual([]);
  });

  test('is no finding of this kind where no known answer had a body', () => {
    expect(find(answered({ email: 'ada@example.org' }), answered(null))).toEqual([]);
  });
});
