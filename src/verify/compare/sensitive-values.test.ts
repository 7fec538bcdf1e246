import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import { type ScenarioRequest, sensitiveValues } from '../traffic/index.ts';
import { against, hop, recording } from './recorded.fixture.ts';
import { findSecurityChanges } from './security.ts';

const sent = (body: Json, headers: ScenarioRequest['headers'] = []) => {
  const common = { method: 'POST', path: '/payments', status: 200, answer: null };
  const request = { ...common, headers, body: Buffer.from(JSON.stringify(body)) };
  return sensitiveValues([{ name: 'payment-flow', requests: [request] }]);
};

test('values of fields and headers that must stay secret are collected', () => {
  const card = { number: '4000-0000-1234-5678', cvc: '737-99', holder: 'Ada Lovelace' };
  const body = { token: 'tok_test_valid', method: 'card', card: [card], pin: 4711 };
  const headers = [
    ['authorization', 'Bearer trader-token'],
    ['content-type', 'application/json'],
    ['idempotency-key', 'key-000017'],
  ] as const;
  expect(sent(body, headers).map(({ field, value }) => `${field} ${value}`)).toEqual([
    'authorization trader-token',
    'token tok_test_valid',
    'cvc 737-99',
  ]);
});

describe('what a request carried in a sensitive field', () => {
  const sensitive = sent({ token: 'tok_test_valid' });
  const logged = (text: string) => recording([], { logs: [{ service: 'payments', text }] });
  const answered = (responseBody: Json) => recording([hop({ responseBody })]);
  const known = () => logged('charged 29.99');
  const find = (candidate: ReturnType<typeof logged>, was = known) =>
    findSecurityChanges({ ...against(was, candidate), sensitive });

  test.each([
    ['plain text', 'charged 29.99 to tok_test_valid'],
    ['a field of any name', '{"level":"info","source":"tok_test_valid"}'],
  ])('is found in a log as %s', (_, text) => {
    expect(find(logged(text))).toMatchObject([
      { what: 'exposed', service: 'payments', after: 'what a request carried in token' },
    ]);
  });

  test('is found in an answer', () => {
    const found = find(answered({ paid: true, by: 'tok_test_valid' }), () =>
      answered({ paid: true }),
    );
    expect(found).toMatchObject([{ hop: 'pricing → validation POST /validations' }]);
  });

  test('is no difference if the baseline exposes it as well', () => {
    expect(find(logged('paid with tok_test_valid'), () => logged('tok_test_valid'))).toEqual([]);
  });
});

test('the number of a card is found in a log, whatever its field is called', () => {
  const logged = (text: string) => recording([], { logs: [{ service: 'payments', text }] });
  const candidate = logged('{"level":"info","source":"4111 1111 1111 1111"}');
  expect(findSecurityChanges(against(() => logged('{"level":"info"}'), candidate))).toMatchObject([
    { what: 'exposed', after: 'a secret (card)' },
  ]);
});
