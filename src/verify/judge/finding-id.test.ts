import { describe, expect, test } from 'vitest';
import {
  type Difference,
  findDifferences,
  hopName,
  type OutsideAnswer,
  type VersionRecording,
} from '../compare/index.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { checkId, differenceId, differenceName } from './finding-id.ts';

const hops = [hop({})];
const nothing: VersionRecording = { hops, logs: [] };

function found(candidate: Partial<VersionRecording>, known: VersionRecording = nothing) {
  const recordings = { baseline: known, control: known, candidate: { ...nothing, ...candidate } };
  return findDifferences(recordings, ['pricing']).filter(({ severity }) => severity === 'fail');
}

const logged = (text: string) => found({ logs: [{ service: 'pricing', text }] });
const answered = (status: number) => found({ hops: [hop({ status })] });

const page: OutsideAnswer = {
  service: 'edge',
  method: 'GET',
  path: '/desk',
  hasCredentials: false,
  status: 200,
  headers: {
    'content-security-policy': ["default-src 'self'"],
    'set-cookie': ['session=1; Secure; HttpOnly; SameSite=Lax'],
  },
  body: '',
  tls: 'TLSv1.3',
};

describe('of requests made for a change', () => {
  const varied = (variant?: string, after = '2'): Difference => ({
    class: 'contract',
    what: 'value-changed',
    service: 'pricing',
    hop: hopName({ ...hop({}), ...(variant === undefined ? {} : { variant }) }),
    place: 'response amount',
    before: '1',
    after,
    examples: { before: 1, after: 2 },
    severity: 'fail',
    confidence: 0.9,
  });
  const idsOf = (...some: Difference[]): number => new Set(some.map(differenceId)).size;

  test('the same difference has one id, whichever of them shows it', () => {
    expect(idsOf(varied('n = 0'), varied('n = -1', '3'), varied('t = "", n = 0'))).toBe(1);
    expect(differenceName(varied('n = 0'))).not.toBe(differenceName(varied('n = 1')));
  });

  test('those with other credentials, and usual requests, have ids of their own', () => {
    expect(idsOf(varied(), varied('n = 0'), varied('without cookie'))).toBe(3);
    expect(idsOf(varied('without cookie'), varied('with a wrong cookie'))).toBe(2);
  });
});

describe('different findings have different ids:', () => {
  test.each([
    ['errors', [...logged('Error: nobody reads this'), ...logged('Error: card charged twice')]],
    ['kinds of status', [...answered(404), ...answered(500)]],
    [
      'weaknesses of a route',
      found(
        {
          answers: [{ ...page, headers: { 'set-cookie': ['session=1; HttpOnly; SameSite=Lax'] } }],
        },
        { ...nothing, answers: [page] },
      ),
    ],
  ])('%s', (_, differences) => {
    expect(differences).toHaveLength(2);
    expect(new Set(differences.map(differenceId)).size).toBe(2);
    expect(new Set(differences.map(differenceName)).size).toBe(2);
  });

  test('errors that end a suite', () => {
    const ended = (actual: string) => ({
      check: 'the suite ran to its end',
      passed: false,
      expected: null,
      actual,
      requestId: null,
    });
    const late = checkId('flow', ended('GET /a had no answer within 10 ms'));
    expect(checkId('flow', ended('GET /a had no answer within 20 ms'))).toBe(late);
    expect(checkId('flow', ended('orders is undefined'))).not.toBe(late);
  });
});

test('ids and numbers of an error do not change the id of its finding', () => {
  const [one, other] = [logged('Error: order 12 is lost'), logged('Error: order 345 is lost')];
  expect(other.map(differenceId)).toEqual(one.map(differenceId));
});
