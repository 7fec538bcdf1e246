import { expect, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import { programOf } from './process-host.ts';

test('starts a program of a change in its own directory, also where nothing confines it', () => {
  const confinedTo = { root: '/trees/lane_1', top: '/trees/lane_1', commit: 'c1' };
  const program = { directory: '/trees/lane_1/rates', confinedTo, environment: {} };
  expect(programOf('./rates', program, { confinement: unconfined })).toEqual({
    command: ['/bin/sh', '-c', './rates'],
    directory: '/trees/lane_1/rates',
  });
});
