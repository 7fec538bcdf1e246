import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import { CallerFacts } from './caller-facts.ts';
import { callersOf, chooseCallers, whyNoCopy } from './callers.ts';

const config = parseConfig(
  `ingress: edge
services:
  edge: { command: a, port: 1, dependsOn: [shop, mail] }
  shop: { command: b, port: 2, tagging: baggage, environment: { RATES: "127.0.0.1:4" } }
  mail: { command: c, port: 3, dependsOn: [rates], callers: shared }
  rates: { command: d, port: 4, dependsOn: [store] }
  store: { command: e, port: 5 }
  batch: { command: f, port: 6, dependsOn: [rates] }
  old: { command: g, port: 7, tagging: none, environment: { SHOP: "127.0.0.1:2" } }
  far: { address: "10.0.0.5:80", tagging: baggage }
  jobs:
    command: h
    port: 8
    tagging: baggage
    queues: [work]
    environment: { RATES: "127.0.0.1:4" }
queues: { work: { kind: nats, url: "nats://127.0.0.1:4222", variable: QUEUE } }
`,
  { path: 'surety.yaml', environment: {} },
);

describe('the callers of a changed service', () => {
  test('lead from the ingress to it, and are listed from the nearest on', () => {
    expect(callersOf(config, ['rates'])).toEqual(['shop', 'mail', 'edge']);
    expect(callersOf(config, ['store'])).toEqual(['rates', 'shop', 'mail', 'edge']);
    expect(callersOf(config, ['edge'])).toEqual([]);
    const { ingress: _, ...open } = config;
    expect(callersOf(open, ['rates'])).toContain('batch');
  });

  const choose = (mode: 'shared' | 'own' | 'auto', facts = new CallerFacts()): string[] =>
    chooseCallers(config, ['rates'], { mode, facts, base: 'v1' }).copies.map(
      ({ service }) => service,
    );

  test('are all copied, or none, where somebody asks for that', () => {
    expect(choose('own')).toEqual(['shop', 'edge']);
    expect(choose('shared')).toEqual([]);
  });

  test('are copied by themselves when they lost a key, or nothing shows that they keep it', () => {
    const facts = new CallerFacts();
    expect(choose('auto', facts)).toEqual(['shop']);
    facts.addProof('shop', 'v1', ['GET /']);
    expect(choose('auto', facts)).toEqual([]);
    facts.addLoss('edge', 'v1', 'it remembers answers');
    facts.addLoss('shop', 'v2', 'in another version');
    expect(choose('auto', facts)).toEqual(['edge']);
  });

  test.each([
    ['far', 'it runs elsewhere and has no lane.command'],
    ['jobs', 'a copy would take messages from its queues'],
    ['gone', 'it is not in surety.yaml'],
    ['edge', null],
    ['old', null],
  ])('can be copied unless something prevents it: %s', (service, why) => {
    const found = whyNoCopy(config, service);
    expect(found?.slice(0, why?.length) ?? null).toBe(why);
  });
});
