import { expect, test, vi } from 'vitest';
import type { PodRun } from '../../kubernetes/index.ts';
import type { InstanceSpec } from '../../lanes/index.ts';
import { parseConfig } from '../../system/index.ts';
import { podProcess } from './kubernetes-host.ts';

const config = parseConfig(
  `kubernetes: { namespace: shop }
services:
  prices:
    address: 10.0.0.1:4401
    lane: { kubernetes: { deployment: prices, build: ./build } }
`,
  { path: 'surety.yaml', environment: {} },
);
const kubernetes = config.kubernetes as NonNullable<typeof config.kubernetes>;

function runOf(instance: Partial<InstanceSpec> = {}): { spec: InstanceSpec; run: PodRun } {
  const top = '/trees/lane_1';
  const spec = podProcess(
    {
      name: 'lane_1.prices',
      service: 'prices',
      command: 'pod of prices',
      directory: top,
      environment: {},
      port: 40_001,
      health: undefined,
      hold: 'lane_1',
      protocol: 'http',
      startMs: 1_000,
      secrets: {},
      limits: {},
      restarts: false,
      pod: { deployment: 'prices', hostnames: [], port: 4401, top },
      ...instance,
    },
    { config, kubernetes, endsAt: 5_000 },
  );
  return { spec, run: JSON.parse(spec.environment.SURETY_POD_RUN ?? '') };
}

test('the process of a pod listens in place of the service and knows when its lane ends', () => {
  const { run, spec } = runOf();
  expect(run).toMatchObject({ lane: 'lane_1', endsAt: 5_000, port: 4401, listenPort: 40_001 });
  expect(spec.command).toContain('kubernetes/run/main.ts');
});

test('a change cannot choose the command that builds its image', () => {
  const pod = { deployment: 'other', build: 'steal', hostnames: [], port: 4401, top: '/trees/x' };
  expect(runOf({ pod }).run).toMatchObject({ deployment: 'prices', build: './build' });
});

test('a pod inherits nothing of this machine', () => {
  vi.stubEnv('MACHINE', 'secret');
  try {
    const environment = { MACHINE: 'secret', PATH: '/bin', CURRENCY: 'EUR' };
    expect(runOf({ environment }).run.environment).toEqual({ CURRENCY: 'EUR' });
  } finally {
    vi.unstubAllEnvs();
  }
});
