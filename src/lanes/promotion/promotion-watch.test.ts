import { expect, test } from 'vitest';
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
  await watch.look();
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
