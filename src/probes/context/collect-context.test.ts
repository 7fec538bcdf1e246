import { expect, test } from 'vitest';
import { probeLimits } from '../limits.ts';
import { App, appFile, deps, lineOf } from '../scene.fixture.ts';
import type { RuntimeContext } from './api-schema.ts';
import { collectContext, type ObservationRequest } from './collect-context.ts';

const forMs = 500;

interface Observed {
  readonly lines: Pick<ObservationRequest, 'fromLine' | 'toLine'>;
  readonly send: () => Promise<unknown>;
  readonly isComplete: (context: RuntimeContext) => boolean;
}

/**
 * Observes again until everything was hit at least once: probes keep to a share of the CPU, so on a
 * busy machine one short observation may miss some of its points.
 */
async function observeAll(app: App, { lines, send, isComplete }: Observed) {
  let context = await observe(app, lines, send);
  while (!isComplete(context)) context = await observe(app, lines, send);
  return context;
}

/** What is observed at these lines while the app gets requests. */
async function observe(app: App, request: Observed['lines'], send: () => Promise<unknown>) {
  const base = { pids: [app.pid], file: appFile, forMs };
  let isOver = false;
  const collecting = collectContext({ ...base, ...request }, deps).finally(() => {
    isOver = true;
  });
  // Awaited below, after the last request.
  collecting.catch(() => undefined);
  while (!isOver) await send();
  return collecting;
}

test('a context shows types, callers, branches, awaited answers and durations', async () => {
  await using app = await App.start();
  const lines = { fromLine: lineOf('before') - 1, toLine: lineOf('after') };
  const trade = await observeAll(app, {
    lines,
    send: () => app.trade({ amount: 20_000, asText: true }),
    isComplete: ({ functions, values }) =>
      functions[0]?.durationMs !== null &&
      functions.every(({ callers }) => callers.length > 0) &&
      values.every(({ types }) => Object.keys(types).length > 0),
  });
  expect(trade.missing).toEqual([]);
  expect(trade.functions).toMatchObject([
    { function: 'classify', arguments: { trade: { '{amount, account}': expect.any(Number) } } },
  ]);
  expect(trade.functions[0]?.callers).toMatchObject([{ function: 'answer' }]);
  expect(trade.functions[0]?.durationMs?.count).toBeGreaterThan(0);
  expect(trade.values).toMatchObject([
    { expression: 'amount', isAnswer: false, types: { string: expect.any(Number) } },
    { expression: 'highValue', isAnswer: false, types: { boolean: expect.any(Number) } },
  ]);

  const branch = lineOf('branch') - 1;
  const settled = await observeAll(app, {
    lines: { fromLine: branch, toLine: branch },
    send: () => app.get('/settle?amount=5'),
    isComplete: ({ branches }) => branches.every(({ ways }) => Object.keys(ways).length > 0),
  });
  expect(settled.branches).toEqual([
    { line: branch, text: 'amount > 10_000', ways: { false: expect.any(Number) } },
  ]);

  const relay = lineOf('relay');
  const relayed = await observeAll(app, {
    lines: { fromLine: relay, toLine: relay },
    send: () => app.get('/relay?ms=1'),
    isComplete: ({ values }) => values.every(({ types }) => Object.keys(types).length > 0),
  });
  expect(relayed.values).toMatchObject([
    { expression: 'answered', isAnswer: true, types: { string: expect.any(Number) } },
  ]);
  expect(await app.get('/globals')).toEqual([]);
  expect(await app.hasOpenInspector()).toBe(false);
});

test.each([
  ['no line', { fromLine: 0, toLine: 3 }],
  ['an end before its beginning', { fromLine: 4, toLine: 3 }],
  ['too many lines', { fromLine: 1, toLine: probeLimits.probeContextLinesMax + 1 }],
  ['too long a time', { fromLine: 1, toLine: 1, forMs: probeLimits.probeContextMsMax + 1 }],
  ['no time', { fromLine: 1, toLine: 1, forMs: 0 }],
])('a context of %s is refused before a process is touched', async (_, request) => {
  const asked = collectContext({ pids: [1], file: 'a.js', ...request }, deps);
  await expect(asked).rejects.toMatchObject({ code: 'PROBE_REQUEST_INVALID' });
});

test('a context of as many lines and as much time as allowed is looked for', async () => {
  const most = { fromLine: 1, toLine: probeLimits.probeContextLinesMax };
  const request = { pids: [2 ** 22], file: 'a.js', ...most, forMs: probeLimits.probeContextMsMax };
  const nothing = { code: 'PROBE_NOTHING_TO_ATTACH' };
  await expect(collectContext(request, deps)).rejects.toMatchObject(nothing);
});
