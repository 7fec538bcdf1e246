import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import type { Lane } from '../api-schema.ts';
import type { InstanceState } from '../host/host.ts';
import { checkQuotas, claimOf } from './quotas.ts';

const config = parseConfig(
  `services:
  plain: { command: a, port: 1 }
  large: { command: b, port: 2, limits: { memoryMb: 1024, processes: 3, cpu: 2 } }
lanes: { memoryMbMax: 2048, processesMax: 4, cpuMax: 3 }
`,
  { path: 'surety.yaml', environment: {} },
);

/** An open lane, and what its services are seen to use. */
function open(services: readonly string[], use: Partial<InstanceState> = {}) {
  const candidates = services.map((service) => ({ service, name: `lane_1.${service}` }));
  const states = candidates.map(({ name }) => [name, { ...use, name } as InstanceState] as const);
  const lane = { lane: 'lane_1', owner: 'user:local', candidates } as unknown as Lane;
  return claimOf(lane, new Map(states));
}

const attempt = (services: readonly string[], there: ReturnType<typeof open>) => () =>
  checkQuotas({ lane: 'lane_2', owner: 'user:local', services }, [there], config);

const mebi = 1_024 * 1_024;

describe('a lane is admitted', () => {
  test.each<[string, ReturnType<typeof open>]>([
    ['when there is room for its limits', open(['plain'])],
    [
      'when the use of others leaves just enough room',
      open(['plain'], { memoryBytes: 1_024 * mebi }),
    ],
    ['when others use less than their limits', open(['plain'], { memoryBytes: 1, processes: 0 })],
    ['when the use of others is unknown', open(['plain'], { memoryBytes: null })],
  ])('%s', (_, there) => {
    expect(attempt(['large'], there)).not.toThrow();
  });
});

describe('a lane is refused, with the numbers in the message,', () => {
  test.each<[string, ReturnType<typeof open>, string]>([
    [
      'when others use more memory than their limits',
      open(['plain'], { memoryBytes: 1_024.6 * mebi }),
      '1025 of 2048 MB of memory for lanes are in use, and it needs 1024',
    ],
    [
      'when others run more processes than their limits',
      open(['plain'], { processes: 2 }),
      '2 of 4 processes of lanes are in use, and it needs 3',
    ],
    [
      'when the limits of others leave no room, even while they use less',
      open(['large'], { memoryBytes: mebi, processes: 1, cpuMs: 1 }),
      '3 of 4 processes',
    ],
  ])('%s', (_, there, message) => {
    expect(attempt(['large'], there)).toThrow(
      expect.objectContaining({ code: 'LANES_FULL', message: expect.stringContaining(message) }),
    );
  });
});
