import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Hop, Lane } from '../../lanes/index.ts';
import { type Config, defaultConfig } from '../../system/index.ts';
import { ComparedRounds } from '../compare/compared-rounds.ts';
import { request } from '../compare/recorded.fixture.ts';
import { verifyLimits } from '../limits.ts';
import { variantMaker } from './choose-variants.ts';

const lane = { lane: 'lane_1', candidates: [], data: [] } as unknown as Lane;
const folder = mkdtempSync(join(tmpdir(), 'surety-variants-'));
afterAll(() => rmSync(folder, { recursive: true }));
const watched = { control: {}, candidate: {} };

async function choose(
  fields: number,
  profile: 'quick' | 'full',
  more: Partial<Config> = {},
  calls: Partial<Hop>[] = [],
) {
  const body = Object.fromEntries(Array.from({ length: fields }, (_, n) => [`field${n}`, n]));
  const bytes = Buffer.from(JSON.stringify(body));
  const trade = { method: 'POST', path: '/trades', headers: [], status: 201, answer: null };
  const scenarios = [{ name: 'flow', requests: [{ ...trade, body: bytes }] }];
  const compared = new ComparedRounds(['orders']);
  const side = { runs: [], hops: request(calls), lastHop: 0, scenarios };
  await compared.add({ control: side, candidate: side });
  const tree = { commit: 'c0ffee', root: folder, top: folder };
  const plan = { control: lane, candidate: lane, changed: ['orders'], profile, tree };
  const config = { ...defaultConfig(), ...more };
  const traffic = { ...config.traffic, safe: ['POST /trades'] };
  const code = { files: [], watched };
  const input = {
    plan,
    code,
    observations: { compared, test: undefined, edited: [] },
    traces: new Set<string>(),
  };
  return variantMaker(input, { ...config, traffic })?.first() ?? [];
}

describe('variants', () => {
  test('are limited, in `quick` more than in `full`', async () => {
    expect(await choose(60, 'quick')).toHaveLength(verifyLimits.variantsQuickMax);
    expect(await choose(60, 'full')).toHaveLength(verifyLimits.variantsFullMax);
    const few = await choose(1, 'quick');
    expect(few.length).toBeLessThan(verifyLimits.variantsQuickMax);
    expect(await choose(1, 'full')).toEqual(few);
  });

  test.each([
    ['quick', verifyLimits.directQuickMax],
    ['full', verifyLimits.directFullMax],
  ] as const)('of routes that nobody asked are limited in `%s`', async (profile, limit) => {
    const services = { orders: { port: 4301, directory: 'orders', paths: [] } };
    const directOf = async (count: number): Promise<number> => {
      const routes = Array.from({ length: count }, (_, n) => `app.get('/page-${n}');`);
      mkdirSync(join(folder, 'orders'), { recursive: true });
      writeFileSync(join(folder, 'orders', 'routes.js'), routes.join('\n'));
      const more = { services: services as unknown as Config['services'] };
      const all = await choose(60, profile, more);
      return all.filter(({ isUnasked }) => isUnasked).length;
    };
    expect(await directOf(limit)).toBe(limit);
    expect(await directOf(limit + 1)).toBe(limit);
    rmSync(join(folder, 'orders'), { recursive: true });
  });

  test('of an effect are not sent where a third party was called', async () => {
    const called = { to: 'mail.test:443', instance: 'external', method: 'GET' };
    expect(await choose(3, 'quick', {}, [called])).toEqual([]);
  });

  test.each(['reads', 'off'] as const)('of an effect are not sent with `%s`', async (variants) => {
    expect(await choose(3, 'quick', { verify: { undistinguished: 'notice', variants } })).toEqual(
      [],
    );
  });
});
