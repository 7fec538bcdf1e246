import { describe, expect, test } from 'vitest';
import type { Hop } from '../../lanes/index.ts';
import type { Difference } from './difference.ts';
import { findDifferences } from './find-differences.ts';
import { against, hop, recording, request } from './recorded.fixture.ts';
import type { VersionRecording, VersionRecordings } from './recording.ts';

const findIn = (known: () => VersionRecording, candidate: VersionRecording): Difference[] =>
  findDifferences(against(known, candidate), ['orders']);

const names = (differences: readonly Difference[]): string[] =>
  differences.map(
    ({ class: kind, what, service, severity }) => `${severity}: ${kind} ${what} by ${service}`,
  );

describe('lost refusals', () => {
  test('of somebody without access are a security difference', () => {
    const refused = () => recording([hop({ status: 401 }), hop(), hop()]);
    expect(names(findIn(refused, recording([hop(), hop(), hop()])))).toEqual([
      'fail: security refusal-lost by validation',
    ]);
    expect(findIn(refused, refused())).toEqual([]);
  });

  const charge = (card: string, status: number): Hop =>
    hop({ to: 'payments', path: '/shop.Payments/Charge', requestBody: { card }, status });

  test.each([400, 402, 409, 412, 422])('are found if the baseline refuses with %i', (status) => {
    const refused = () => recording([charge('good', 200), charge('expired', status)]);
    const found = findIn(refused, recording([charge('good', 200), charge('expired', 200)]));
    expect(names(found)).toEqual(['fail: status refusal-lost by payments']);
    expect(found[0]).toMatchObject({
      before: `200 in 1, ${status} in 1 of 2`,
      after: '200 in 2 of 2',
    });
  });

  test('are found however often the request is sent', () => {
    const retried = () => recording([charge('good', 200), ...Array(3).fill(charge('old', 400))]);
    const found = findIn(retried, recording([charge('good', 200), charge('old', 200)]));
    expect(names(found)).toEqual(['fail: status refusal-lost by payments']);
    expect(found[0]).toMatchObject({ before: '200 in 1, 400 in 3 of 4', after: '200 in 2 of 2' });
  });

  test.each([
    ['another refusal', 400, 404],
    ['an answer where nothing was', 404, 200],
    ['an answer where the limit of a rate was exceeded', 429, 200],
    ['an answer where there was an error', 500, 200],
  ])('are not found: %s', (_, before, after) => {
    const known = () => recording([charge('good', 200), charge('other', before)]);
    const found = findIn(known, recording([charge('good', 200), charge('other', after)]));
    expect(names(found).filter((name) => name.includes('refusal-lost'))).toEqual([]);
  });

  test('come before the calls that are made because nothing is refused any more', () => {
    const quote = { to: 'pricing', path: '/quotes' };
    const trades = (isRefused: boolean): Hop[] => [
      ...request([quote], { requestBody: { symbol: 'A' } }),
      ...request(isRefused ? [] : [quote], {
        requestBody: { symbol: 'a' },
        status: isRefused ? 400 : 201,
      }),
    ];
    expect(names(findIn(() => recording(trades(true)), recording(trades(false))))).toEqual([
      'fail: status refusal-lost by orders',
      'fail: calls call-new by orders',
    ]);
  });

  test('are no difference if they vary on the baseline', () => {
    const [baseline, control] = [401, 200].map((status) => recording([hop({ status }), hop()]));
    const recordings = { baseline, control, candidate: recording([hop(), hop()]) };
    expect(findDifferences(recordings as VersionRecordings, ['orders'])).toEqual([]);
  });
});
