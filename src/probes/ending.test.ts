import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isDeep } from '../../tests/harness/deep.ts';
import { freePort } from '../../tests/harness/free-ports.ts';
import { until } from '../../tests/harness/until.ts';
import { probeLimits } from './limits.ts';
import { App, killHard, startProber } from './scene.fixture.ts';

const closed = { breakpoints: 'none', inspector: 'closed', agent: 'none' };
const residue = (left: object) => ({ certificate: { instances: [{ residue: left }] } });

describe.runIf(process.platform === 'linux')('a probe ends', () => {
  test('after its last hit, and when its time is up', async () => {
    await using app = await App.start();
    const probe = await app.place({ hitsMax: 3 });
    const captures = await app.tradeUntil(probe, 3, { amount: 7 });
    expect(captures.map(({ hit }) => hit)).toEqual([1, 2, 3]);
    expect(await probe.ended).toMatchObject({ reason: 'hits', hits: 3, ...residue(closed) });
    const short = await app.place({ ttlMs: 1 });
    expect(await short.ended).toMatchObject({ reason: 'expired', ...residue(closed) });
    expect(await app.trade({ amount: 20_000 })).toBe('review');
    expect(await app.get('/globals')).toEqual([]);
  });

  test('when its process exits, without delaying the exit', async () => {
    await using app = await App.start();
    const probe = await app.place();
    await app.get('/exit');
    await until('the app has exited', () => app.process.exitCode);
    expect(app.process.exitCode).toBe(3);
    const gone = { inspector: 'gone with its process' };
    expect(await probe.ended).toMatchObject({ reason: 'process-ended', ...residue(gone) });
  });

  test('when its process is killed', async () => {
    await using app = await App.start();
    const probe = await app.place();
    await killHard(app.process);
    expect(await probe.ended).toMatchObject({ reason: 'process-ended' });
  });

  test('when it is removed while many requests pass it', async () => {
    await using app = await App.start();
    const probe = await app.place({ hitsMax: 1_000 });
    const trades = Array.from({ length: 50 }, () => app.trade({ amount: 20_000 }));
    await Promise.race(trades);
    const removal = await probe.remove();
    expect(await Promise.all(trades)).toEqual(trades.map(() => 'review'));
    expect(removal).toMatchObject(residue(closed));
  });

  test('by itself when Surety is killed', async () => {
    await using app = await App.start();
    const prober = await startProber(app.pid);
    expect(await app.get('/globals')).toHaveLength(1);
    await killHard(prober);
    await until('nothing is left', async () => (await app.get<string[]>('/globals')).length === 0);
    expect(await app.hasOpenInspector()).toBe(false);
    expect(await app.trade({ amount: 20_000 })).toBe('review');
  });

  test('by itself when Surety is stopped for so long that its heart beats no more', async () => {
    await using app = await App.start();
    const prober = await startProber(app.pid);
    prober.kill('SIGSTOP');
    await until('nothing is left', async () => (await app.get<string[]>('/globals')).length === 0);
    expect(await app.trade({ amount: 20_000 })).toBe('review');
    await killHard(prober);
  });
});

describe.runIf(process.platform === 'linux')('while a probe is placed', () => {
  test('a debugger statement in the code does not pause the process', async () => {
    await using app = await App.start();
    const probe = await app.place();
    const answers = await Promise.all([1, 2, 3].map(() => app.get('/debugger')));
    expect(answers).toEqual(['on', 'on', 'on']);
    expect(await probe.remove()).toMatchObject({ hits: 0 });
  });

  test('another process on the same machine can be probed, and the same one by another daemon', async () => {
    await using first = await App.start();
    await using second = await App.start();
    const probes = await Promise.all([first.place(), second.place()]);
    const prober = await startProber(first.pid);
    for (const [index, app] of [first, second].entries()) {
      const probe = probes[index] as (typeof probes)[number];
      await app.tradeUntil(probe, 1, { amount: 7 });
      expect(await probe.remove()).toMatchObject(residue(closed));
    }
    await killHard(prober);
  });
});

test.runIf(isDeep && process.platform === 'linux')(
  'a process takes as many probes as the limit',
  async () => {
    await using app = await App.start();
    const probes = [];
    while (probes.length < probeLimits.probesPerProcessMax) {
      probes.push(await app.place({ kind: 'counter' }));
    }
    const refusal = { code: 'PROBE_TOO_MANY' };
    await expect(app.place({ kind: 'counter' })).rejects.toMatchObject(refusal);
    await app.trade({ amount: 1 });
    const ends = await Promise.all(probes.map((probe) => probe.remove()));
    expect(ends.filter(({ hits }) => hits === 1).length).toBeGreaterThan(100);
    expect(await app.get('/globals')).toEqual([]);
  },
);

describe.runIf(process.platform === 'linux')('the inspector that a probe opened is closed', () => {
  test('although somebody else connects to it in that moment', async () => {
    const port = await freePort();
    await using app = await App.start(`--inspect-port=${port}`);
    const strangers = new Set<Socket>();
    const knock = (): void => {
      const stranger = connect(port, '127.0.0.1', () => strangers.add(stranger));
      stranger.on('error', () => setImmediate(knock));
    };
    knock();
    await expect(app.place()).rejects.toMatchObject({ code: 'PROBE_BUSY' });
    expect(strangers.size).toBe(1);
    for (const stranger of strangers) stranger.removeAllListeners('error').destroy();
    expect(await app.hasOpenInspector()).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('an inspector that was open before', () => {
  test('stays open if the process was started with it', async () => {
    const port = await freePort();
    await using app = await App.start(`--inspect=127.0.0.1:${port}`);
    const probe = await app.place({ hitsMax: 1 });
    await app.tradeUntil(probe, 1, { amount: 7 });
    expect(await probe.ended).toMatchObject(residue({ inspector: 'open as it was found' }));
    expect(await app.hasOpenInspector()).toBe(true);
  });

  test('is closed if somebody opened it by a signal and left', async () => {
    await using app = await App.start('--inspect-port=0');
    app.process.kill('SIGUSR1');
    await until('it is open', () => app.hasOpenInspector());
    const probe = await app.place({ hitsMax: 1 });
    await app.tradeUntil(probe, 1, { amount: 7 });
    expect(await probe.ended).toMatchObject(residue(closed));
    expect(await app.hasOpenInspector()).toBe(false);
  });
});
