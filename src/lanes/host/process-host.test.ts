import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unconfined } from '../../confinement/unconfined.fixture.ts';
import { programOf } from './process-host.ts';

test('starts a program of a change in its own directory, also where nothing confines it', () => {
  const top = mkdtempSync(join(tmpdir(), 'surety-tree-'));
  onTestFinished(() => rmSync(top, { recursive: true }));
  const directory = join(top, 'rates');
  const program = { directory, confinedTo: { root: top, top, commit: 'c1' }, environment: {} };
  expect(programOf('./rates', program, { confinement: unconfined })).toEqual({
    command: ['/bin/sh', '-c', './rates'],
    directory,
  });
});
