import { expect, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import { suiteEnvironment } from './suite-environment.ts';

test('a suite gets no secret of a service, unless its configuration names it', () => {
  process.env.SURETY_TEST_CARD_KEY = 'hunter2';
  try {
    const target = {
      baseUrl: 'http://a',
      headers: {},
      tree: { commit: '', root: '/', top: '/' },
      confinement: unconfined,
      withheld: ['SURETY_TEST_CARD_KEY'],
    };
    const given = { suite: 'flow', reports: '/r', logs: undefined, captures: undefined };
    const told = (environment: Record<string, string>) =>
      suiteEnvironment({ command: 'true', directory: '.', environment }, target, given);
    expect(told({})).toMatchObject({ PATH: process.env.PATH, BASE_URL: 'http://a' });
    expect(told({})).not.toHaveProperty('SURETY_TEST_CARD_KEY');
    expect(told({ SURETY_TEST_CARD_KEY: 'own' })).toMatchObject({ SURETY_TEST_CARD_KEY: 'own' });
  } finally {
    delete process.env.SURETY_TEST_CARD_KEY;
  }
});
