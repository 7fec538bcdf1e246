import { expect, test } from 'vitest';
import { formatPodReport, readPodReport } from './pod-run.ts';
import { podVariables } from './return-path.ts';
import { findUnsafeService } from './template.ts';

const service = (selector: Record<string, string>, publishNotReadyAddresses = false) => ({
  metadata: { name: 'prices-headless' },
  spec: { selector, publishNotReadyAddresses },
});

test('only a Service that takes unready pods of these labels is unsafe', () => {
  const labels = { app: 'prices', tier: 'back' };
  expect(findUnsafeService([service({ app: 'prices' }, true)], labels)).toBe('prices-headless');
  expect(findUnsafeService([service({ app: 'prices' })], labels)).toBeUndefined();
  expect(findUnsafeService([service({ app: 'stock' }, true)], labels)).toBeUndefined();
  expect(findUnsafeService([service({}, true)], labels)).toBeUndefined();
});

test('a pod gets no port or path of this machine', () => {
  const local = {
    PORT: '9',
    SURETY_LISTEN_PORT: '9',
    SURETY_COVERAGE: 'file:///x',
    CURRENCY: 'EUR',
    NODE_OPTIONS: '--require "/opt/surety dist/preload/tag.cjs" --inspect-port=0',
  };
  expect(podVariables(local)).toEqual({
    CURRENCY: 'EUR',
    NODE_OPTIONS: '--require "/surety/preload/tag.cjs" --inspect-port=0',
  });
});

test('the report of a pod is read back, and no other line is taken for one', () => {
  const report = { kind: 'image', reason: 'not found', advice: 'push it' };
  expect(readPodReport(formatPodReport(report))).toEqual({ surety: 'pod-problem', ...report });
  expect(readPodReport('{"surety":"pod-problem"')).toBeNull();
  expect(readPodReport('{"level":"error"}')).toBeNull();
  expect(readPodReport(undefined)).toBeNull();
});
