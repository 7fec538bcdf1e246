import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../tests/harness/until.ts';
import type { Json } from '../kernel/index.ts';
import type { Capture } from './api-schema.ts';
import { sideEffect } from './pause.ts';
import { placeChecked } from './probe.ts';
import { App, appFile, deps, isLate, lineOf, readInto } from './scene.fixture.ts';

const requestId = "request.headers['x-request-id']";

describe.runIf(process.platform === 'linux')('a probe in an unprepared process', () => {
  test('distinguishes failing from healthy requests on a busy line', async () => {
    await using app = await App.start();
    const expressions = ['amount', 'typeof amount', 'highValue'];
    const line = lineOf('after');
    const probe = await app.place({ line, expressions, requestId, hitsMax: 100 });
    const captures: Capture[] = [];
    const reading = readInto(captures, probe);
    await until('both kinds were seen', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const asText = index % 2 === 0;
          const amount = 20_000 + index;
          return app.trade({ amount, asText, id: `${asText ? 'bad' : 'good'}-${amount}` });
        }),
      );
      expect(answers).toEqual(answers.map((_, index) => (index % 2 === 0 ? 'ok' : 'review')));
      return ['bad', 'good'].every((kind) =>
        captures.some((seen) => seen.requestId?.startsWith(kind) && !isLate(seen)),
      );
    });
    const { hits } = await probe.remove();
    await reading;
    expect(captures.map(({ hit }) => hit)).toEqual(Array.from({ length: hits }, (_, i) => i + 1));
    for (const { requestId: id = '', values, stack } of captures.filter((seen) => !isLate(seen))) {
      const [kind, amount = ''] = id.split('-');
      const isBad = kind === 'bad';
      expect(values).toEqual({
        amount: isBad ? { type: 'string', value: amount } : { type: 'number', value: +amount },
        'typeof amount': { type: 'string', value: isBad ? 'string' : 'number' },
        highValue: { type: 'boolean', value: !isBad },
      });
      expect(stack[0]).toEqual({ function: 'classify', file: appFile, line });
      expect(stack[1]).toMatchObject({ function: 'answer', file: appFile });
    }
  });

  test('leaves nothing behind and certifies it', async () => {
    await using app = await App.start();
    const probe = await app.place({ file: 'trading-app.fixture.ts', condition: 'amount > 1' });
    expect(await app.hasOpenInspector()).toBe(true);
    const captures = await app.tradeUntil(probe, 1, { amount: 5 });
    const removal = await probe.remove();
    expect(await app.hasOpenInspector()).toBe(false);
    expect(await app.trade({ amount: 20_000 })).toBe('review');
    const { certificate, hits } = removal;
    expect(removal.reason).toBe('removed');
    expect(hits).toBeGreaterThanOrEqual(1);
    expect(certificate).toMatchObject({
      probe: probe.id,
      process: { pid: app.pid, startTicks: expect.any(Number) },
      inspector: { port: 9229, wasOpen: false },
      place: {
        file: appFile,
        line: lineOf('before'),
        column: expect.any(Number),
        scriptHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        text: expect.stringMatching(/^const highValue = .*BREAKPOINT: before$/),
      },
      expressions: ['amount'],
      condition: 'amount > 1',
      hits,
      predicted: probe.cost,
      residue: { breakpoint: 'removed', inspector: 'closed' },
    });
    const json: Json = { removal, captures };
    expect(JSON.parse(JSON.stringify(json))).toEqual({ removal, captures });
    expect(await probe.remove()).toBe(removal);
    expect(await probe.ended).toBe(removal);
  });

  test('stays invisible to the application', async () => {
    await using app = await App.start('--inspect-port=0');
    await (await app.place()).remove();
    expect(await app.state()).toEqual({ changes: 0, trades: 0, requests: 1 });
  });

  test('counts only hits on which its condition holds', async () => {
    await using app = await App.start();
    // A machine that stalls ends a probe before its hits: then the next one tries.
    const captures = await until('a probe ends after its hits', async () => {
      const probe = await app.place({ condition: `typeof amount === 'string'`, hitsMax: 2 });
      const captures: Capture[] = [];
      const reading = readInto(captures, probe);
      let isEnded = false;
      void reading.then(() => {
        isEnded = true;
      });
      await until('it has ended', async () => {
        await Promise.all([app.trade({ amount: 1 }), app.trade({ amount: 2, asText: true })]);
        return isEnded;
      });
      const { reason, hits } = await probe.ended;
      return reason === 'hits' && hits === 2 && !captures.some(isLate) ? captures : null;
    });
    expect(captures.map(({ values }) => values)).toEqual([
      { amount: { type: 'string', value: '2' } },
      { amount: { type: 'string', value: '2' } },
    ]);
  });

  test('reports a condition that cannot be evaluated', async () => {
    await using app = await App.start();
    const probe = await app.place({ condition: 'amuont > 1' });
    await app.trade({ amount: 5 });
    expect(await probe.remove()).toMatchObject({
      hits: 0,
      conditionError: 'ReferenceError: amuont is not defined',
    });
  });

  test('reports an unreadable expression as an error and still reads the others', async () => {
    await using app = await App.start();
    const expressions = ['highValue', 'missing', 'trade.account', 'amount', 'traps.endless'];
    const probe = await app.place({ expressions });
    const [capture] = await app.tradeUntil(probe, 1, { amount: 7 });
    expect(capture?.values).toEqual({
      highValue: { error: expect.stringContaining('ReferenceError') },
      missing: { error: 'ReferenceError: missing is not defined' },
      'trade.account': { type: 'object', value: { owner: 'ada', password: '[redacted]' } },
      amount: { type: 'number', value: 7 },
      'traps.endless': { error: expect.stringContaining('took longer') },
    });
    await probe.remove();
  });

  test('shows no secret under any expression', async () => {
    await using app = await App.start();
    const expressions = [
      'trade.account.password',
      "trade['account']['password']",
      '`${trade.account.password}`',
      "trade.account.password < 'k'",
      '[trade.account.password]',
      'typeof trade.account.password',
    ];
    const probe = await app.place({ expressions });
    const [capture] = await app.tradeUntil(probe, 1, { amount: 7 });
    expect(JSON.stringify(capture)).not.toContain('hunter2');
    const values = Object.values(capture?.values ?? {}).map(
      (seen) => 'value' in seen && seen.value,
    );
    expect(values).toEqual([...Array(5).fill('[redacted]'), 'string']);
    await probe.remove();
  });
});

describe.runIf(process.platform === 'linux')('a probe cannot change its process', () => {
  const harmful = [
    'state.changes++',
    'state.changes = 5',
    'traps.change()',
    'delete state.changes',
    'new Proxy(state, {}).changes = 2',
    'Object.assign(state, { changes: 3 })',
    "eval('state.changes = 4')",
    '[1].map(() => traps.change())',
    'process.exit()',
  ];

  describe('because the expression check', () => {
    let app: App;
    beforeAll(async () => {
      app = await App.start();
    });
    afterAll(() => app[Symbol.asyncDispose]());

    test.each(harmful)('refuses %s before it touches the process', async (expression) => {
      await expect(app.place({ expressions: ['amount', expression] })).rejects.toMatchObject({
        code: 'PROBE_NOT_READ_ONLY',
      });
      await expect(app.place({ condition: expression })).rejects.toMatchObject({
        code: 'PROBE_NOT_READ_ONLY',
      });
      expect(await app.hasOpenInspector()).toBe(false);
    });
  });

  test('the inspector prevents side effects even without the expression check', async () => {
    await using app = await App.start();
    const looks = ['traps.counted', 'traps.proxy.a', 'traps.proxy'];
    const expressions = [...looks, ...harmful].map((text) => ({ text, isSecret: false }));
    const line = lineOf('before');
    const plan = { pid: app.pid, file: appFile, line, hitsMax: 1, ttlMs: 60_000, expressions };
    const condition = { text: 'traps.change() || true', isSecret: false };
    const values = await until('a busy machine reads in time', async () => {
      const probe = await app.keep(() => placeChecked(plan, deps));
      const [capture] = await app.tradeUntil(probe, 1, { amount: 7 });
      expect(await probe.ended).toMatchObject({ reason: 'hits' });
      return capture && !isLate(capture) ? capture.values : null;
    });
    expect(Object.entries(values)).toEqual(
      expressions.map(({ text }) => [text, { error: sideEffect }]),
    );
    const conditional = await app.keep(() => placeChecked({ ...plan, condition }, deps));
    await app.trade({ amount: 7 });
    expect(await conditional.remove()).toMatchObject({ hits: 0, conditionError: sideEffect });
    expect(await app.state()).toMatchObject({ changes: 0 });
  });
});
