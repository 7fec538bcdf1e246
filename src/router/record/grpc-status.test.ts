import { expect, test } from 'vitest';
import { grpcStatus } from './grpc-status.ts';

test.each([
  ['0', 200],
  ['3', 400],
  ['7', 403],
  ['14', 503],
  ['16', 401],
  ['99', 500],
  ['x', 500],
])('code %s is %i in HTTP', (code, status) => {
  expect(grpcStatus(['Grpc-Status', code])).toBe(status);
});

test('where nothing is told, nothing is known', () => {
  expect(grpcStatus(['content-type', 'application/grpc'])).toBeNull();
});
