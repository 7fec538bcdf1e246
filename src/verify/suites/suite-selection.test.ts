import { describe, expect, test } from 'vitest';
import type { ChangeFacts } from '../../lanes/index.ts';
import type { Config, SuiteConfig } from '../../system/index.ts';
import { chooseSuites, dependsOnChange, type Occasion, profileFor } from './suite-selection.ts';

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

function chosen(more: Partial<Occasion>, of: Config['suites'] = suites) {
  const occasion = { wanted: undefined, profile: 'quick', change: change(), ...more } as const;
  const { suites: run, remarks } = chooseSuites({ suites: of }, occasion);
  return [run.map(([name]) => name).join(' '), ...remarks];
}

const without = (names: string): string =>
  `suites not meant for this change were left out: ${names}`;

describe('suites are chosen', () => {
  test.each<[string, Partial<Occasion>, string[]]>([
    [
      'by service',
      { change: change({ services: ['orders', 'auth'] }) },
      ['always edge', without('schema, long')],
    ],
    [
      'by all that is named',
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

  test('all of them when none is meant for the change', () => {
    const { always: _, ...meant } = suites;
    const all = ['edge schema long', 'no suite is meant for this change: all were run'];
    expect(chosen({}, meant)).toEqual(all);
  });
});

test('a change may be one that is verified in full', () => {
  const config = { suites: {}, verifyInFull: [{ kinds: ['migrations' as const] }] };
  expect(dependsOnChange(config)).toBe(true);
  expect(dependsOnChange({ suites: { a: suite() }, verifyInFull: [] })).toBe(false);
  expect(dependsOnChange({ suites, verifyInFull: [] })).toBe(true);
  expect(profileFor(config, change(), undefined)).toBe('quick');
  expect(profileFor(config, change(), 'full')).toBe('full');
  const migrated = change({ kinds: ['migrations'] });
  // Whoever asks for less gets no less.
  for (const wanted of [undefined, 'quick', 'full'] as const) {
    expect(profileFor(config, migrated, wanted)).toBe('full');
  }
});
