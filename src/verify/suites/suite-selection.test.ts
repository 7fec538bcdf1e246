import { describe, expect, test } from 'vitest';
import type { ChangeFacts } from '../../lanes/index.ts';
import type { Config, SuiteConfig } from '../../system/index.ts';
import { chooseSuites, dependsOnChange, profileFor } from './suite-selection.ts';

type SuiteRequest = Parameters<typeof chooseSuites>[1];

const suite = (when?: SuiteConfig['when']): SuiteConfig => ({
  command: 'true',
  directory: '.',
  environment: {},
  when,
});

const suites: Config['suites'] = {
  always: suite(),
  edge: suite({ services: ['edge', 'auth'] }),
  schema: suite({ kinds: ['migrations'], paths: ['schema'] }),
  long: suite({ profiles: ['full'] }),
};

const change = (more: Partial<ChangeFacts> = {}): ChangeFacts => ({
  files: ['services/orders/main.ts'],
  services: ['orders'],
  kinds: ['code'],
  ...more,
});

function chosen(more: Partial<SuiteRequest>, of: Config['suites'] = suites) {
  const request = { wanted: undefined, profile: 'quick', change: change(), ...more } as const;
  const { suites: run, remarks } = chooseSuites({ suites: of }, request);
  return [run.map(([name]) => name).join(' '), ...remarks];
}

const without = (names: string): string => `left out, because not meant for this change: ${names}`;

describe('suites are chosen', () => {
  test.each<[string, Partial<SuiteRequest>, string[]]>([
    [
      'by service',
      { change: change({ services: ['orders', 'auth'] }) },
      ['always edge', without('schema, long')],
    ],
    [
      'by every condition, not by one of several',
      { change: change({ kinds: ['migrations'] }) },
      ['always', without('edge, schema, long')],
    ],
    [
      'by kind and path',
      { change: change({ kinds: ['code', 'migrations'], files: ['schema/1.sql'] }) },
      ['always schema', without('edge, long')],
    ],
    ['by profile', { profile: 'full' }, ['always long', without('edge, schema')]],
    ['by name, whatever they are meant for', { wanted: ['edge', 'long'] }, ['edge long']],
  ])('%s', (_, more, expected) => {
    expect(chosen(more)).toEqual(expected);
  });

  test('all, when none is meant for the change', () => {
    const { always: _, ...meant } = suites;
    const all = ['edge schema long', 'no suite is meant for this change, so all were run'];
    expect(chosen({}, meant)).toEqual(all);
  });
});

test('verifyInFull of surety.yaml sets the least profile of matching changes', () => {
  const config = { suites: {}, verifyInFull: [{ kinds: ['migrations' as const] }] };
  expect(dependsOnChange(config)).toBe(true);
  expect(dependsOnChange({ suites: { a: suite() }, verifyInFull: [] })).toBe(false);
  expect(dependsOnChange({ suites, verifyInFull: [] })).toBe(true);
  expect(profileFor(config, change(), undefined)).toBe('quick');
  expect(profileFor(config, change(), 'full')).toBe('full');
  const migrated = change({ kinds: ['migrations'] });
  // Asking for less does not help.
  for (const wanted of [undefined, 'quick', 'full'] as const) {
    expect(profileFor(config, migrated, wanted)).toBe('full');
  }
});
