import { describe, expect, test } from 'vitest';
import type { Hop, Lane } from '../../lanes/index.ts';
import { type Config, defaultConfig } from '../../system/index.ts';
import { ComparedRounds } from '../compare/compared-rounds.ts';
import { request } from '../compare/recorded.fixture.ts';
import { verifyLimits } from '../limits.ts';
import { variantMaker } from './choose-variants.ts';

const lane = { lane: 'lane_1', candidates: [], data: [] } as unknown as Lane;
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
  const plan = { control: lane, candidate: lane, changed: ['orders'], profile };
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
