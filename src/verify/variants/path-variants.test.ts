import { describe, expect, test } from 'vitest';
import type { KnownRequest } from './known-requests.ts';
import { pathVariants } from './path-variants.ts';
import { madeFrom } from './variant.ts';

function reads(path: string, method = 'GET'): KnownRequest {
  const request = { method, path, headers: [], body: null, status: 200, answer: null };
  return { requests: [request], name: 'outside → edge', body: null, isInner: false };
}

const pathsOf = (known: KnownRequest, health?: string): string[] =>
  pathVariants(known, health).map((draft) => madeFrom(draft).requests.at(-1)?.path ?? '');

describe('another id in the path of a read', () => {
  test('is the beginning of one, a pattern, and a way out of the folder, as one part of the path', () => {
    const paths = pathsOf(reads('/orders/ord_4f1c77/notes?full=yes'), '/healthz');
    expect(paths).toEqual(
      expect.arrayContaining([
        '/orders/ord_/notes?full=yes',
        '/orders/..%2Fhealthz/notes?full=yes',
        '/orders/%25/notes?full=yes',
        '/orders/100%25/notes?full=yes',
      ]),
    );
    expect(new Set(paths).size).toBe(paths.length);
  });

  test('is tried in place of the last id alone, without a health check that nobody has', () => {
    const paths = pathsOf(reads('/clients/c17/orders/42'));
    expect(paths.every((path) => path.startsWith('/clients/c17/orders/'))).toBe(true);
    expect(paths.some((path) => path.includes('..'))).toBe(false);
  });

  test('is not tried for an effect, nor where there is no id', () => {
    expect(pathsOf(reads('/orders/ord_1/payment', 'POST'), '/healthz')).toEqual([]);
    expect(pathsOf(reads('/flags'), '/healthz')).toEqual([]);
  });
});
