import { describe, expect, test } from 'vitest';
import { CallerFacts, type Hop, type KeyLoss, type Lane, type Reach } from '../../lanes/index.ts';
import { parseConfig } from '../../system/index.ts';
import { learnFromCopies, type ObservedLane, unsafeCallers } from './caller-copies.ts';

const config = parseConfig(
  `ingress: edge
services:
  edge: { command: a, port: 1, dependsOn: [shop] }
  shop:
    command: b
    port: 2
    tagging: baggage
    environment: { RATES: "127.0.0.1:3", MAIL: "127.0.0.1:4" }
    dependsOn: [rates, mail]
  rates: { command: c, port: 3 }
  mail: { command: d, port: 4 }
`,
  { path: 'surety.yaml', environment: {} },
);
const changed = { service: 'rates', instance: 'rates/lane_1/run_1', version: 'changed' };
const copy = { service: 'shop', instance: 'shop/lane_1/run_1', version: 'caller' };
const loss = (how: KeyLoss['how'], by: string, to: string): KeyLoss => ({
  how,
  by,
  to,
  what: 'GET /',
  request: null,
});
const hop = (from: string | null, to: string, instance = 'baseline', more = {}): Hop =>
  ({ from, to, instance, method: 'GET', path: `/${to}`, requestBody: null, ...more }) as Hop;

const seen = (more: Partial<ObservedLane>, lost: KeyLoss[] = [], proven = true): ObservedLane => ({
  lane: { candidates: [changed] } as unknown as Lane,
  hops: [],
  reach: { proven, lost } as unknown as Reach,
  base: 'v1',
  config,
  facts: new CallerFacts(),
  ...more,
});
const names = (observed: ObservedLane): string[] =>
  unsafeCallers(observed).copies.map(({ service }) => service);

describe('a verification is repeated with a copy of', () => {
  test('a caller that lost the key on the way to the change, or kept an answer', () => {
    expect(names(seen({}, [loss('mixed', 'edge', 'edge')]))).toEqual(['edge']);
    expect(names(seen({}, [loss('cached', 'shop', 'rates')]))).toEqual(['shop']);
  });

  test('no service that lost it elsewhere, or whose loss was recovered', () => {
    expect(names(seen({}, [loss('late', 'mail', 'mail')]))).toEqual([]);
    expect(names(seen({}, [loss('recovered', 'edge', 'shop')]))).toEqual([]);
    const isolated = { candidates: [changed, copy] } as unknown as Lane;
    expect(names(seen({ lane: isolated }, [loss('cached', 'shop', 'rates')]))).toEqual([]);
  });

  test('a caller that made no call only where the change was not reached', () => {
    const lost = [loss('silent', 'shop', 'rates')];
    expect(names(seen({}, lost))).toEqual([]);
    expect(names(seen({}, lost, false))).toEqual(['shop']);
  });

  test('a program without the preload, until its copy has passed the key on', () => {
    const facts = new CallerFacts();
    const shared = [hop(null, 'shop'), hop('shop', 'rates', changed.instance)];
    expect(names(seen({ facts, hops: shared }))).toEqual(['shop']);
    const lane = { candidates: [changed, copy] } as unknown as Lane;
    const own = [hop(null, 'shop', copy.instance), hop('shop', 'rates', changed.instance)];
    learnFromCopies(seen({ facts, lane, hops: own }));
    expect(names(seen({ facts, hops: shared }))).toEqual([]);
    expect(
      names(seen({ facts, hops: [hop(null, 'shop', 'baseline', { path: '/other' })] })),
    ).toEqual(['shop']);
  });

  test('a program whose copy did not pass it on', () => {
    const facts = new CallerFacts();
    const lane = { candidates: [changed, copy] } as unknown as Lane;
    const dropped = hop('shop', 'rates', changed.instance, { own: true });
    learnFromCopies(seen({ facts, lane, hops: [hop(null, 'shop', copy.instance), dropped] }));
    expect(facts.of('shop', 'v1').loss).toBe('it called rates (GET /rates) without the key');
  });
});
