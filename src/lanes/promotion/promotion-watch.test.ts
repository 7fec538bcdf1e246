import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../kernel/index.ts';
import type { Entry } from '../../ledger/index.ts';
import { SerialQueue } from '../lane/serial-queue.ts';
import { laneLimits } from '../limits.ts';
import { PromotionWatch } from './promotion-watch.ts';
import { watchedPromotion } from './watched-promotion.ts';

/** A ledger that knows only what is watched. */
function ledgerOf() {
  const rows = new Map<string, Json>();
  const kinds: string[] = [];
  let at = 0;
  const append = async ({ kind, body }: { kind: string; body: JsonObject }): Promise<void> => {
    kinds.push(kind);
    if (!watchedPromotion.kinds.includes(kind)) return;
    const access = {
      get: <Value extends Json>(key: string) => rows.get(key) as Value | undefined,
      set: (key: string, value: Json | undefined) =>
        value === undefined ? void rows.delete(key) : void rows.set(key, value),
    };
    watchedPromotion.apply(access, { kind, body, at: at++ } as unknown as Entry);
  };
  const list = async function* () {
    for (const [key, value] of rows) yield { key, value };
  };
  const setTime = (time: number): void => {
    at = time;
  };
  return { append, rows: list, kinds, setTime };
}

/** The first look starts the suites, and the second reads their result. */
async function lookUntilSuitesEnd(watch: PromotionWatch): Promise<void> {
  await watch.look();
  await watch.look();
}

const promotion = { commit: 'new', base: 'old', services: ['orders'], watchMs: 60_000 };

test('retries a rollback that does not start a few times, then leaves it to a person', async () => {
  const ledger = ledgerOf();
  await ledger.append({ kind: 'change-promoted', body: promotion });
  const published: string[] = [];
  let tries = 0;
  const watch = new PromotionWatch({
    ledger,
    promoting: new SerialQueue(),
    clock: { now: () => 1 },
    act: async (_: unknown, effect: () => Promise<unknown>) => effect(),
    errorShares: async () => null,
    repeatSuites: async () => 'passed',
    configAt: async () => ({}),
    trees: {
      open: async (commit: string) => ({ commit }),
      publish: async (commit: string) => void published.push(commit),
    },
    baseline: {
      status: async () => [{ service: 'orders', state: 'crashed', restarts: 0 }],
      swap: async () => {
        tries += 1;
        throw new Error('orders does not start');
      },
    },
  } as never);
  for (let look = 1; look < laneLimits.promotionRollbacksMax; look++) {
    await expect(watch.look()).rejects.toThrow('orders does not start');
  }
  expect(await watch.watched()).toMatchObject({ commit: 'new' });
  await watch.look();
  expect(ledger.kinds).toEqual(['change-promoted', 'promotion-stuck']);
  await watch.look();
  expect({ tries, published }).toEqual({ tries: laneLimits.promotionRollbacksMax, published: [] });
});

test('watches a stopped version again from its next start', async () => {
  const ledger = ledgerOf();
  await ledger.append({ kind: 'change-promoted', body: promotion });
  let [now, state] = [1, 'stopped'];
  const watch = new PromotionWatch({
    ledger,
    promoting: new SerialQueue(),
    clock: { now: () => now },
    errorShares: async () => null,
    repeatSuites: async () => 'passed',
    baseline: { status: async () => [{ service: 'orders', state, restarts: 0 }] },
  } as never);
  now = 2 * promotion.watchMs;
  await watch.look();
  expect(ledger.kinds).toEqual(['change-promoted']);
  state = 'running';
  ledger.setTime(now);
  await ledger.append({ kind: 'service-started', body: { service: 'orders', commit: 'new' } });
  await watch.look();
  expect(await watch.watched()).toMatchObject({ commit: 'new', until: 3 * promotion.watchMs });
  now = 3 * promotion.watchMs;
  await lookUntilSuitesEnd(watch);
  expect(ledger.kinds).toEqual(['change-promoted', 'service-started', 'promotion-kept']);
});

test('rolls back when one service crashes while another is stopped', async () => {
  const ledger = ledgerOf();
  const services = ['orders', 'payments'];
  await ledger.append({ kind: 'change-promoted', body: { ...promotion, services } });
  let state = 'running';
  const watch = new PromotionWatch({
    ledger,
    promoting: new SerialQueue(),
    clock: { now: () => 2 * promotion.watchMs },
    act: async () => {
      throw new Error('the rollback was tried');
    },
    errorShares: async () => null,
    repeatSuites: async () => 'passed',
    baseline: {
      status: async () => [
        { service: 'orders', state: 'stopped', restarts: 0 },
        { service: 'payments', state, restarts: 0 },
      ],
    },
  } as never);
  await watch.look();
  expect(ledger.kinds).toEqual(['change-promoted']);
  state = 'crashed';
  await expect(watch.look()).rejects.toThrow('the rollback was tried');
});

describe('at the end of its watch a promotion', () => {
  const shares = (before: number, since: number) => ({
    before: { requests: before, errors: 0 },
    since: { requests: since, errors: 0 },
  });
  type Deps = ConstructorParameters<typeof PromotionWatch>[0];

  /** What the ledger has of a promotion that is looked at twice at this time. */
  async function entriesAt(
    times: number,
    { task = null, ...deps }: Partial<Deps> & { task?: string | null },
  ): Promise<string[]> {
    const ledger = ledgerOf();
    await ledger.append({ kind: 'change-promoted', body: { ...promotion, task } });
    const watch = new PromotionWatch({
      ledger,
      promoting: new SerialQueue(),
      clock: { now: () => times * promotion.watchMs },
      act: async () => {
        throw new Error('the rollback was tried');
      },
      errorShares: async () => shares(5, 5),
      repeatSuites: async () => 'passed',
      baseline: { status: async () => [{ service: 'orders', state: 'running', restarts: 0 }] },
      ...deps,
    } as never);
    await lookUntilSuitesEnd(watch).catch((error: Error) => ledger.kinds.push(error.message));
    return ledger.kinds.slice(1);
  }

  const unanswered = async () => {
    throw new Error('telemetry is away');
  };

  test.each<[string, number, Parameters<typeof entriesAt>[1], string[]]>([
    ['is kept if its signals are well', 1, {}, ['promotion-kept']],
    ['is held if its errors cannot be read', 1, { errorShares: unanswered }, ['promotion-held']],
    [
      'goes back if its errors cannot be read for as long again',
      2,
      { errorShares: unanswered },
      ['the rollback was tried'],
    ],
    [
      'is held while nobody sends the requests that came before',
      9,
      { errorShares: async () => shares(5, 0) },
      ['promotion-held'],
    ],
    [
      'goes back if requests of suites do not show in telemetry',
      9,
      { errorShares: async () => shares(5, 0), task: 'task_1' },
      ['the rollback was tried'],
    ],
    [
      'is held, and does not go back, if no suite sent it requests',
      9,
      {
        errorShares: async () => shares(5, 0),
        task: 'task_1',
        repeatSuites: async () => 'none',
      },
      ['promotion-held'],
    ],
    ['is kept without telemetry', 1, { errorShares: async () => null }, ['promotion-kept']],
    [
      'goes back if a suite fails',
      1,
      { repeatSuites: async () => ({ failed: 'flow failed' }) },
      ['the rollback was tried'],
    ],
    ['waits for another run if suites cannot run', 1, { repeatSuites: unanswered }, []],
    ['waits for a run that nobody disturbs', 1, { repeatSuites: async () => 'disturbed' }, []],
    ['waits for suites that still run', 1, { repeatSuites: () => new Promise(() => {}) }, []],
  ])('%s', async (_, times, deps, entries) => {
    expect(await entriesAt(times, deps)).toEqual(entries);
  });

  test('has its suites run at the beginning and at the end of the watch', async () => {
    const ledger = ledgerOf();
    await ledger.append({ kind: 'change-promoted', body: promotion });
    let [now, runs] = [1, 0];
    const watch = new PromotionWatch({
      ledger,
      promoting: new SerialQueue(),
      clock: { now: () => now },
      errorShares: async () => null,
      repeatSuites: async () => {
        runs += 1;
        return 'passed';
      },
      baseline: { status: async () => [{ service: 'orders', state: 'running', restarts: 0 }] },
    } as never);
    for (let look = 0; look < 5; look++) await watch.look();
    expect(runs).toBe(1);
    now = promotion.watchMs;
    await lookUntilSuitesEnd(watch);
    expect({ runs, kinds: ledger.kinds }).toEqual({
      runs: 2,
      kinds: ['change-promoted', 'promotion-kept'],
    });
  });
});
