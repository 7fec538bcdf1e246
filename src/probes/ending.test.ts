import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../tests/harness/free-ports.ts';
import { until } from '../../tests/harness/until.ts';
import { placeProbe } from './probe.ts';
import { App, deps, killHard, startProber } from './scene.fixture.ts';

const closed = { breakpoint: 'removed', inspector: 'closed' };

describe.runIf(process.platform === 'linux')('a probe ends', () => {
  test('after its last hit', async () => {
    await using app = await App.start();
    const probe = await app.place({ hitsMax: 3 });
    const captures = await app.tradeUntil(probe, 3, { amount: 7 });
    const removal = await probe.ended;
    expect(captures.map(({ hit }) => hit)).toEqual([1, 2, 3]);
    expect(removal).toMatchObject({ reason: 'hits', hits: 3, certificate: { residue: closed } });
    expect(await app.trade({ amount: 20_000 })).toBe('review');
    expect(await app.hasOpenInspector()).toBe(false);
  });

  test('when its time is up', async () => {
    await using app = await App.start();
    const probe = await app.place({ ttlMs: 1 });
    const removal = await probe.ended;
    expect(removal).toMatchObject({ reason: 'expired', certificate: { residue: closed } });
    expect(await app.hasOpenInspector()).toBe(false);
  });

  test('when its process exits, without delaying the exit', async () => {
    await using app = await App.start();
    const probe = await app.place();
    await app.get('/exit');
    await until('the app has exited', () => app.process.exitCode);
    expect(app.process.exitCode).toBe(3);
    expect(await probe.ended).toMatchObject({
      reason: 'process-ended',
      certificate: { residue: { inspector: 'gone with its process' } },
    });
  });

  test('when its process is killed', async () => {
    await using app = await App.start();
    const probe = await app.place();
    await killHard(app.process);
    expect(await probe.ended).toMatchObject({ reason: 'process-ended' });
  });

  test('when it is removed while many requests stop at it', async () => {
    await using app = await App.start();
    const probe = await app.place({ hitsMax: 1_000 });
    const trades = Array.from({ length: 50 }, () => app.trade({ amount: 20_000 }));
    await Promise.race(trades);
    const removal = await probe.remove();
    expect(await Promise.all(trades)).toEqual(trades.map(() => 'review'));
    expect(removal.certificate.residue).toEqual(closed);
  });

  test('and frees the process for another probe at once', async () => {
    await using app = await App.start();
    await (await app.place()).remove();
    const probe = await app.place({ hitsMax: 1 });
    await app.tradeUntil(probe, 1, { amount: 7 });
    expect(await probe.ended).toMatchObject({ reason: 'hits' });
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

  test('a second probe in the same process is refused, also from another prober', async () => {
    await using app = await App.start();
    const probe = await app.place();
    await expect(placeProbe(app.request(), deps)).rejects.toMatchObject({ code: 'PROBE_BUSY' });
    await app.tradeUntil(probe, 1, { amount: 7 });
    await probe.remove();
    const prober = await startProber('probe', app.pid);
    await expect(placeProbe(app.request(), deps)).rejects.toMatchObject({ code: 'PROBE_BUSY' });
    await killHard(prober);
    await until('its connection is gone', async () => {
      const next = await placeProbe(app.request(), deps).catch(() => null);
      return next?.remove();
    });
    expect(await app.hasOpenInspector()).toBe(false);
  });

  test('only one of two simultaneous requests places a probe', async () => {
    await using app = await App.start('--inspect-port=0');
    const both = await Promise.allSettled([1, 2].map(() => placeProbe(app.request(), deps)));
    const placed = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused).toEqual(['PROBE_BUSY']);
    const [probe] = placed;
    expect(await probe?.remove()).toMatchObject({ certificate: { residue: closed } });
  });

  test('a probe in another process reports who uses the port and succeeds later', async () => {
    await using first = await App.start();
    await using second = await App.start();
    const probe = await first.place();
    await expect(placeProbe(second.request(), deps)).rejects.toMatchObject({
      code: 'PROBE_PORT_TAKEN',
      values: { pid: second.pid, port: 9229, holder: `process ${first.pid}` },
    });
    expect(await second.trade({ amount: 20_000 })).toBe('review');
    await probe.remove();
    const later = await second.place({ hitsMax: 1 });
    await second.tradeUntil(later, 1, { amount: 7 });
    expect(await later.ended).toMatchObject({ hits: 1 });
  });

  test('a process with its own inspector port accepts a second probe', async () => {
    await using first = await App.start();
    await using second = await App.start('--inspect-port=0');
    const probe = await first.place();
    const beside = await second.place({ hitsMax: 1 });
    await second.tradeUntil(beside, 1, { amount: 7 });
    expect(await beside.ended).toMatchObject({ certificate: { residue: closed } });
    await first.tradeUntil(probe, 1, { amount: 8 });
    expect(await probe.remove()).toMatchObject({ certificate: { residue: closed } });
  });
});

describe.runIf(process.platform === 'linux')('an inspector that was open before', () => {
  test('stays open if the process was started with it', async () => {
    const port = await freePort();
    await using app = await App.start(`--inspect=127.0.0.1:${port}`);
    const probe = await app.place({ hitsMax: 1 });
    await app.tradeUntil(probe, 1, { amount: 7 });
    const residue = { breakpoint: 'removed', inspector: 'open as it was found' };
    expect(await probe.ended).toMatchObject({ certificate: { residue } });
    expect(await app.hasOpenInspector()).toBe(true);
  });

  test.each([[[]], [['--inspect-port=0']]])(
    'is closed if a killed prober left it open, with options %j',
    async (options) => {
      await using app = await App.start(...options);
      const prober = await startProber('probe', app.pid);
      await killHard(prober);
      expect(await app.trade({ amount: 20_000 })).toBe('review');
      expect(await app.hasOpenInspector()).toBe(true);
      const probe = await app.place({ hitsMax: 1 });
      await app.tradeUntil(probe, 1, { amount: 7 });
      expect(await probe.ended).toMatchObject({ certificate: { residue: closed } });
    },
  );
});

describe.runIf(process.platform === 'linux')('the death of a prober', () => {
  test('resumes the process that it had paused', async () => {
    await using app = await App.start();
    const prober = await startProber('stay-paused', app.pid);
    const answer = app.trade({ amount: 20_000 });
    const [word] = await once(prober.stdout as NodeJS.ReadableStream, 'data');
    expect(String(word)).toBe('paused\n');
    await killHard(prober);
    expect(await answer).toBe('review');
    expect(await app.trade({ amount: 1 })).toBe('ok');
    await (await app.place()).remove();
  });
});
