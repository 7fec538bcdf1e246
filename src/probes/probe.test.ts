import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../tests/harness/until.ts';
import type { Json } from '../kernel/index.ts';
import type { Capture, InstrumentSummary } from './api-schema.ts';
import type { ActiveProbe } from './probe.ts';
import { checkProbe } from './probe.ts';
import { App, appFile, deps, lineOf } from './scene.fixture.ts';

const requestId = "request.headers['x-request-id']";
const closed = { breakpoints: 'none', inspector: 'closed', agent: 'none' };

async function summaryOf(probe: ActiveProbe, hits: number): Promise<InstrumentSummary> {
  return until(`there are ${hits} hits`, () => {
    const summary = probe.instances()[0]?.summary;
    return (summary?.hits ?? 0) >= hits ? summary : undefined;
  });
}

// proves: probes.unprepared
describe.runIf(process.platform === 'linux')('a probe in an unprepared process', () => {
  let app: App;
  beforeAll(async () => {
    app = await App.start();
  });
  afterAll(() => app[Symbol.asyncDispose]());

  test('distinguishes failing from healthy requests', async () => {
    const line = lineOf('after');
    const expressions = ['amount', 'typeof amount', 'highValue'];
    const probe = await app.place({ line, expressions, requestId });
    for (let index = 0; index < 10; index++) {
      const asText = index % 2 === 0;
      const id = `${asText ? 'bad' : 'good'}-${20_000 + index}`;
      const answer = await app.trade({ amount: 20_000 + index, asText, id });
      expect(answer).toBe(asText ? 'ok' : 'review');
    }
    const { hits } = await probe.remove();
    const captures = probe.captures.kept;
    expect([hits, captures.length]).toEqual([10, 10]);
    for (const { requestId: id = '', values, stack } of captures) {
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

  // proves: probes.end
  test('leaves nothing behind and certifies it', async () => {
    const probe = await app.place({ file: 'trading-app.fixture.ts', condition: 'amount > 1' });
    expect(await app.hasOpenInspector()).toBe(false);
    const captures = await app.tradeUntil(probe, 1, { amount: 5 });
    const removal = await probe.remove();
    expect(await app.hasOpenInspector()).toBe(false);
    expect(await app.trade({ amount: 20_000 })).toBe('review');
    expect(removal).toMatchObject({
      reason: 'removed',
      certificate: {
        probe: probe.id,
        expressions: ['amount'],
        condition: 'amount > 1',
        instances: [
          {
            process: {
              pid: app.pid,
              startTicks: expect.any(Number),
              runtime: `node ${process.version}`,
            },
            tier: 'production',
            place: {
              file: appFile,
              line: lineOf('before'),
              function: 'classify',
              scriptHash: expect.stringMatching(/^[0-9a-f]{64}$/),
              text: expect.stringMatching(/^const highValue = .*BREAKPOINT: before$/),
            },
            readOnly: { selfTest: { mutations: 0 } },
            residue: closed,
          },
        ],
      },
    });
    const json: Json = { removal: removal as Json, captures: captures as Json };
    expect(JSON.parse(JSON.stringify(json))).toEqual({ removal, captures });
    expect(await probe.remove()).toBe(removal);
    expect(await probe.ended).toBe(removal);
  });

  test('leaves no global behind, and a second probe on the same line sees the same', async () => {
    const probes = await Promise.all([
      app.place({ template: 'one {amount}' }),
      app.place({ template: 'two {typeof amount}' }),
    ]);
    await app.trade({ amount: 7 });
    for (const probe of probes) await probe.remove();
    const messages = probes.map((probe) => probe.captures.kept.map((one) => one.message));
    expect(messages).toEqual([['one 7'], ['two number']]);
    expect(await app.get('/globals')).toEqual([]);
  });

  test('counts only hits on which its condition holds', async () => {
    const probe = await app.place({ condition: `typeof amount === 'string'`, hitsMax: 2 });
    let isOver = false;
    void probe.ended.then(() => {
      isOver = true;
    });
    // On a busy machine the budget may disarm it for a moment.
    while (!isOver) {
      await app.trade({ amount: 1 });
      await app.trade({ amount: 2, asText: true });
    }
    expect(await probe.ended).toMatchObject({ reason: 'hits', hits: 2 });
    expect(probe.captures.kept.map(({ values }) => values.amount)).toEqual([
      { type: 'string', value: '2' },
      { type: 'string', value: '2' },
    ]);
  });

  test('reports why its condition cannot be evaluated', async () => {
    const probe = await app.place({ condition: 'amuont > 1' });
    await app.trade({ amount: 5 });
    expect(await probe.remove()).toMatchObject({ hits: 0, error: 'amuont is not defined' });
  });

  test('reports what cannot be read as an error and still reads the rest', async () => {
    const expressions = [
      'highValue',
      'missing',
      'trade.account',
      'amount',
      'traps.counted',
      'traps.proxy',
    ];
    const probe = await app.place({ expressions });
    const [capture] = await app.tradeUntil(probe, 1, { amount: 7 });
    await probe.remove();
    expect(capture?.values).toEqual({
      highValue: { error: expect.stringContaining('Cannot access') },
      missing: { error: 'missing is not defined' },
      'trade.account': {
        type: 'object',
        value: { owner: 'ada', password: '[redacted]', token: '[redacted]' },
      },
      amount: { type: 'number', value: 7 },
      'traps.counted': { error: 'counted is an accessor, which would run code' },
      'traps.proxy': { type: 'proxy', value: '[proxy]' },
    });
    expect(await app.state()).toMatchObject({ changes: 0 });
  });

  // proves: probes.redaction
  test('shows no secret under any expression', async () => {
    const expressions = [
      'trade.account.password',
      "trade['account']['password']",
      '`${trade.account.password}`',
      "trade.account.password < 'k'",
      '[trade.account.password]',
      "trade.account['token']",
      'trade.account.token.slice(0, 6)',
      'typeof trade.account.password',
    ];
    const probe = await app.place({ expressions });
    const [capture] = await app.tradeUntil(probe, 1, { amount: 7 });
    await probe.remove();
    expect(JSON.stringify(capture)).not.toMatch(/hunter2|f3a9/);
    const values = Object.values(capture?.values ?? {}).map(
      (seen) => 'value' in seen && seen.value,
    );
    expect(values).toEqual([...Array(7).fill('[redacted]'), 'string']);
  });

  test('says where it would be and what it would cost, without staying there', async () => {
    const { instances } = await checkProbe({ ...app.request(), expressions: ['amount'] }, deps);
    expect(instances).toMatchObject([
      {
        pid: app.pid,
        place: { line: lineOf('before'), function: 'classify' },
        cost: { attachMs: expect.any(Number), perHitMs: expect.any(Number) },
      },
    ]);
    expect(await app.get('/globals')).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('each kind of probe', () => {
  let app: App;
  beforeAll(async () => {
    app = await App.start('--inspect-port=0');
  });
  afterAll(() => app[Symbol.asyncDispose]());

  const trades = async (): Promise<void> => {
    for (const amount of [1, 2, 3]) await app.trade({ amount });
    await app.trade({ amount: 4, asText: true });
  };

  test('counter', async () => {
    const probe = await app.place({ kind: 'counter' });
    await trades();
    expect(await summaryOf(probe, 4)).toMatchObject({ hits: 4, evaluated: 4 });
    await probe.remove();
  });

  test('metric, which says what is no number', async () => {
    const probe = await app.place({ kind: 'metric', expressions: ['amount'] });
    await trades();
    const summary = await summaryOf(probe, 4);
    expect(summary).toMatchObject({
      distribution: { count: 3, sum: 6, min: 1, max: 3 },
      error: 'it is string, not a finite number',
    });
    await probe.remove();
  });

  test('types, grouped', async () => {
    const probe = await app.place({ kind: 'types', expressions: ['amount', 'amount > 2'] });
    await trades();
    const { tally } = await summaryOf(probe, 4);
    expect(tally).toEqual({ 'false: number': 2, 'true: number': 1, 'true: string': 1 });
    await probe.remove();
  });

  test('snapshot of all locals by the name of the function', async () => {
    const probe = await app.placeIn('classify');
    const [capture] = (await app.tradeUntil(probe, 1, { amount: 5 })) as [Capture];
    await probe.remove();
    expect(Object.keys(capture.values)).toEqual(
      expect.arrayContaining(['amount', 'trade', 'request', 'state', 'traps', 'this']),
    );
    expect(capture.values.trade).toMatchObject({ value: { amount: 5 } });
  });

  test('branch', async () => {
    const probe = await app.place({ kind: 'branch', line: lineOf('branch') - 1 });
    for (const amount of [1, 20_000, 2]) await app.get(`/settle?amount=${amount}`);
    expect((await summaryOf(probe, 3)).tally).toEqual({ true: 1, false: 2 });
    await probe.remove();
  });

  test('duration of an async function, and between two lines', async () => {
    const whole = await app.placeIn('wait', { kind: 'duration' });
    const line = lineOf('wait');
    const part = await app.place({ kind: 'duration', line, toLine: line + 2 });
    await Promise.all([app.get('/wait?ms=40'), app.get('/wait?ms=60')]);
    for (const probe of [whole, part]) {
      const { distribution } = await summaryOf(probe, 2);
      expect(distribution?.count).toBe(2);
      expect(distribution?.min).toBeGreaterThan(30);
      await probe.remove();
    }
  });

  test('exception, also one that is caught', async () => {
    const probe = await app.placeIn('fail', {
      kind: 'exception',
      expressions: ['amount', 'state.trades'],
    });
    expect(await app.get('/fail?amount=3')).toBe('failed');
    await app.get('/fail?amount=0');
    await until('it was captured', () => probe.captures.kept[0]);
    const { certificate } = await probe.remove();
    expect(probe.captures.kept).toMatchObject([
      { message: 'TypeError: no 3', values: { amount: { type: 'number', value: 3 } } },
    ]);
    expect(certificate.instances[0]?.residue).toEqual(closed);
  });

  test('exception of one function, and not of those inside of it', async () => {
    const kind = 'exception' as const;
    const expressions = ['amount'];
    const top = await app.place({ kind, expressions, line: lineOf('top') });
    const inner = await app.placeIn('fail', { kind, expressions });
    await app.get('/fail?amount=4');
    await until('it was captured', () => inner.captures.kept[0]);
    await inner.remove();
    await app.get('/fail?amount=5');
    await top.remove();
    expect(top.captures.kept).toEqual([]);
  });
});

// proves: probes.read-only
describe.runIf(process.platform === 'linux')('a probe cannot change its process', () => {
  const harmful = [
    'state.changes++',
    'traps.change()',
    'delete state.changes',
    'Object.assign(state, { changes: 3 })',
    "eval('state.changes = 4')",
    '[1].map(() => traps.change())',
    'process.exit()',
  ];

  test('because harmful expressions are refused before it is touched', async () => {
    await using app = await App.start();
    for (const expression of harmful) {
      const refusal = { code: 'PROBE_NOT_READ_ONLY' };
      await expect(app.place({ expressions: [expression] })).rejects.toMatchObject(refusal);
      await expect(app.place({ condition: expression })).rejects.toMatchObject(refusal);
    }
    expect(await app.state()).toMatchObject({ changes: 0 });
  });
});
