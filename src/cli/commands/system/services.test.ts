import { expect, test } from 'vitest';
import { serviceLines } from './services.ts';

test('the line of a running service fits 80 columns', () => {
  const service = {
    service: 'recommendation',
    state: 'running' as const,
    reason: null,
    port: 50_051,
    pid: 4_194_304,
    commit: '7a7ae11cdf77b0f3f3c0',
    overlay: null,
    restarts: 0,
    memoryBytes: 1_500 * 1_048_576,
    cpuMs: 123_456,
  };
  const [line = ''] = serviceLines(service as Parameters<typeof serviceLines>[0], {
    tone: (_, text) => text,
  });
  expect(line).toContain('50051');
  expect(line.length).toBeLessThanOrEqual(80);
});
