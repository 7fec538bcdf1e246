import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import { sharedLimits } from '../../kernel/index.ts';
import type { HoldSpec, InstanceSpec } from '../host/host.ts';
import { laneLimits } from '../limits.ts';
import { Repository } from '../repository.fixture.ts';
import { Ports } from '../routing/ports.ts';
import { type OpeningDeps, startLane } from './lane-opening.ts';
import type { LanePlan, PlannedStart } from './lane-plan.ts';

const plan: LanePlan = {
  lane: 'lane_1',
  base: 'abc',
  prepared: null,
  starts: [],
  on: null,
  controlOf: null,
  ttlMs: 1_000,
  transient: false,
  modes: {},
  ingress: null,
  watched: null,
};

/** How long a lane that starts nothing is held, first and last. */
async function heldFor(ttlMs: number): Promise<number[]> {
  using repository = new Repository();
  const holds: HoldSpec[] = [];
  const host = {
    hold: async (spec: HoldSpec) => {
      holds.push(spec);
      return { endsAt: spec.leaseMs };
    },
  };
  const data = { reapCommand: () => null, open: async () => [] };
  const deps = { ...repository.deps, host, data } as unknown as OpeningDeps;
  await startLane({ ...plan, ttlMs }, deps);
  expect(holds.map(({ again }) => again)).toEqual([false, true]);
  return holds.map(({ leaseMs }) => leaseMs);
}

describe('the hold of a lane', () => {
  test(`lasts ${laneLimits.laneStartMsMax} ms for the start, plus the lifetime of the lane`, async () => {
    expect(await heldFor(1_000)).toEqual([1_000 + laneLimits.laneStartMsMax, 1_000]);
  });

  test('never lasts longer than a lease may', async () => {
    const { leaseMsMax } = sharedLimits;
    expect(await heldFor(leaseMsMax)).toEqual([leaseMsMax, leaseMsMax]);
  });
});

describe('a candidate', () => {
  /** Opens a lane whose candidate does not start while `fail` says why. */
  async function openLane(fail: (spec: InstanceSpec, tries: number) => Promise<void>) {
    using repository = new Repository();
    const { deps: known, base } = repository;
    const ports = new Ports();
    const started: number[] = [];
    const host = {
      hold: async () => ({ endsAt: 1 }),
      release: async () => undefined,
      start: (spec: InstanceSpec) => fail(spec, started.push(spec.port)),
    };
    const data = {
      reapCommand: () => null,
      open: async () => [],
      close: async () => undefined,
      environment: () => ({}),
    };
    const deps = {
      ...known,
      host,
      data,
      ports,
      preparation: { services: async () => undefined },
      makeIdentifier: () => 'run_1',
      confinement: unconfined,
      tagging: async () => () => ({}),
      tell: () => undefined,
      announce: async () => undefined,
    } as unknown as OpeningDeps;
    const config = known.config.services.back as PlannedStart['config'];
    const starts: PlannedStart[] = [{ service: 'back', config, version: 'copy' }];
    const opening = startLane({ ...plan, base, starts }, deps);
    const lane = await opening.catch(() => null);
    ports.release(plan.lane);
    return { started, ports: lane?.candidates.map(({ port }) => port) ?? null };
  }

  /** As a stranger does it who comes first. */
  async function occupy(port: number): Promise<never> {
    const server = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    throw new Error('address already in use');
  }

  test('gets another port when another program has taken its port', async () => {
    const { started, ports } = await openLane(async ({ port }, tries) => {
      if (tries === 1) await occupy(port);
    });
    expect(started).toHaveLength(2);
    expect(started[0]).not.toBe(started[1]);
    expect(ports).toEqual([started[1]]);
  });

  test('does not start when other programs take every port', async () => {
    const { started, ports } = await openLane(({ port }) => occupy(port));
    expect([started.length, ports]).toEqual([3, null]);
  });

  test('that exits by itself is not retried on another port', async () => {
    const { started, ports } = await openLane(() => Promise.reject(new Error('broken')));
    expect([started.length, ports]).toEqual([1, null]);
  });
});
