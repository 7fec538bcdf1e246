import { expect, test } from 'vitest';
import { grpcStatus } from './grpc-status.ts';

test.each([
  ['0', 200],
  ['3', 400],
  ['7', 403],
  ['14', 503],
  ['16', 401],
  ['99', 500],
  ['402', 402],
  ['600', 500],
  ['x', 500],
])('maps gRPC code %s to HTTP status %i', (code, status) => {
  expect(grpcStatus(['Grpc-Status', code])).toBe(status);
});

test('gives no status when the trailers have none', () => {
  expect(grpcStatus(['content-type', 'application/grpc'])).toBeNull();
});
