import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../system/index.ts';
import type { PreparedChange } from '../change/change.ts';
import { plannedStarts } from './lane-plan.ts';

const read = (text: string) => parseConfig(text, { path: 'surety.yaml', environment: {} });

const config = read(`services:
  front: { command: a, port: 1, dependsOn: [middle] }
  middle: { command: b, port: 2, dependsOn: [back, far, near] }
  back: { command: c, port: 3 }
  far: { address: "10.0.0.5:80" }
  near: { address: "10.0.0.6:80", lane: { command: d } }
  other: { command: e, port: 4 }
overlays:
  prod-like: { services: { back: { command: p }, other: { command: q } } }
`);

const changing = (services: string[], after = config): PreparedChange =>
  ({ change: { services }, config: after }) as unknown as PreparedChange;

const plan = (prepared: PreparedChange | null, request = {}) =>
  plannedStarts(config, prepared, {
    copies: [],
    isolated: false,
    after: prepared?.config ?? config,
    overlayOf: () => null,
    ...request,
  }).map(({ service, version, config: { command } }) => `${service} ${version} ${command}`);

describe('a lane starts', () => {
  test('only the changed services', () => {
    expect(plan(changing(['back']))).toEqual(['back changed c']);
    expect(plan(null)).toEqual([]);
  });

  test('the callers and callees of the change when it is isolated, if they can be started', () => {
    expect(plan(changing(['middle']), { isolated: true }).sort()).toEqual([
      'back copy c',
      'front copy a',
      'middle changed b',
      'near copy d',
    ]);
  });

  test('copies of the services that are named', () => {
    expect(plan(null, { copies: ['other'] })).toEqual(['other copy e']);
  });

  test('each service with the overlay of the baseline', () => {
    const overlayOf = (service: string) => (service === 'back' ? 'prod-like' : null);
    expect(plan(changing(['back']), { overlayOf, copies: ['other'] }).sort()).toEqual([
      'back changed p',
      'other copy e',
    ]);
  });

  test.each<[string, () => unknown, string]>([
    ['an unknown service', () => plan(null, { copies: ['nope'] }), 'SERVICE_UNKNOWN'],
    ['a service that runs elsewhere', () => plan(changing(['far'])), 'SERVICE_ELSEWHERE'],
    [
      'a service that the change adds',
      () => plan(changing(['added'], read('services: { added: { command: x, port: 9 } }\n'))),
      'CHANGE_INVALID',
    ],
  ])('but not %s', (_, attempt, code) => {
    expect(attempt).toThrow(expect.objectContaining({ code }));
  });
});
