import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createClock, createIdentifiers, systemRandom } from '../kernel/index.ts';
import { probeLimits } from './limits.ts';
import { ProcessPool } from './pool.ts';
import type { AttachedProcess, Instrumenter, InstrumentListener, Residue } from './port.ts';
import { checkProbe, placeProbe } from './probe.ts';

const residue: Residue = { breakpoints: 'none', inspector: 'closed', agent: 'none' };
const place = { file: 'a.js', line: 1, function: 'f', scriptHash: '', text: '' };
const cost = { attachMs: 1, perHitMs: 1 };

/** Two processes, the first of which ends its probe while the second is being attached to. */
class Pair {
  readonly removed: number[] = [];
  readonly detached: number[] = [];
  stallMs = 1;
  checks = 0;
  readonly listeners = new Map<number, InstrumentListener>();

  readonly instrumenter: Instrumenter = {
    tier: 'production',
    find: async (pid) => [pid],
    attach: async (pid) => {
      if (pid === 2) this.listeners.get(1)?.ended('hits');
      await delay(5);
      return this.#process(pid);
    },
  };

  #process(pid: number): AttachedProcess {
    return {
      facts: { pid, startTicks: 1, runtime: 'node v24.0.0' },
      readOnly: { beforePlacement: '', inTarget: '', selfTest: { expressions: 1, mutations: 0 } },
      stallMs: this.stallMs,
      check: async () => {
        this.checks++;
        return { place, cost };
      },
      place: async (_, listener) => {
        this.listeners.set(pid, listener);
        const remove = async (): Promise<Residue> => {
          this.removed.push(pid);
          return residue;
        };
        return { place, cost, remove };
      },
      detach: async () => {
        this.detached.push(pid);
        return residue;
      },
    };
  }
}

test('a probe that is being placed when probes are turned off is removed again', async () => {
  const pair = new Pair();
  const clock = createClock();
  const processes = new ProcessPool([pair.instrumenter], () => pair.listeners.size > 0);
  const makeIdentifier = createIdentifiers(clock, systemRandom);
  const request = { pids: [1], file: 'a.js', line: 1, kind: 'counter' } as const;
  const deps = { clock, makeIdentifier, processes };
  const off = { code: 'PROBES_OFF' };
  await expect(placeProbe(request, deps)).rejects.toMatchObject(off);
  expect([pair.removed, pair.detached]).toEqual([[1], [1]]);
  await expect(checkProbe(request, deps)).rejects.toMatchObject(off);
  expect(pair.detached).toEqual([1]);
});

test('a process that would stand still for too long is not even listed', async () => {
  const pair = new Pair();
  const clock = createClock();
  const processes = new ProcessPool([pair.instrumenter]);
  const makeIdentifier = createIdentifiers(clock, systemRandom);
  const deps = { clock, makeIdentifier, processes };
  const request = { pids: [1], file: 'a.js', line: 1, kind: 'counter' } as const;
  pair.stallMs = probeLimits.probeAttachMsMax;
  expect((await checkProbe(request, deps)).instances).toHaveLength(1);
  pair.stallMs++;
  const stall = { code: 'PROBE_STALL_PREDICTED' };
  await expect(checkProbe(request, deps)).rejects.toMatchObject(stall);
  await expect(placeProbe(request, deps)).rejects.toMatchObject(stall);
  expect(pair.checks).toBe(1);
  expect((await checkProbe({ ...request, allowStall: true }, deps)).instances).toHaveLength(1);
});

test('a probe in blocked code is refused before anything is set', async () => {
  const pair = new Pair();
  const clock = createClock();
  const processes = new ProcessPool([pair.instrumenter]);
  const makeIdentifier = createIdentifiers(clock, systemRandom);
  const request = { pids: [1], file: 'a.js', line: 1, kind: 'counter' } as const;
  const blocked = { code: 'PROBE_BLOCKED' };
  const deps = { clock, makeIdentifier, processes, blocked: [{ file: place.file }] };
  await expect(placeProbe(request, deps)).rejects.toMatchObject(blocked);
  await expect(checkProbe(request, deps)).rejects.toMatchObject(blocked);
  expect([pair.listeners.size, pair.detached]).toEqual([0, [1, 1]]);
  await (await placeProbe(request, { ...deps, blocked: [{ file: 'b.js' }] })).remove();
});

test('a probe that is over in one process while it is placed in another ends in both', async () => {
  const pair = new Pair();
  const clock = createClock();
  const processes = new ProcessPool([pair.instrumenter]);
  const makeIdentifier = createIdentifiers(clock, systemRandom);
  const probe = await placeProbe(
    { pids: [1, 2], file: 'a.js', line: 1, kind: 'counter', hitsMax: 1 },
    { clock, makeIdentifier, processes },
  );
  pair.listeners.get(2)?.ended('process-ended');
  const { reason, certificate } = await probe.ended;
  expect(reason).toBe('process-ended');
  expect(certificate.instances.map(({ process }) => process.pid)).toEqual([1, 2]);
  expect(pair.removed.sort()).toEqual([1, 2]);
  expect(pair.detached.sort()).toEqual([1, 2]);
});
