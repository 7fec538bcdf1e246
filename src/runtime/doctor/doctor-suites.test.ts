import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findPlace } from '../place.ts';
import { checkSuites } from './doctor-suites.ts';

const root = mkdtempSync(join(tmpdir(), 'surety-doctor-suites-'));
afterAll(() => rmSync(root, { recursive: true }));

function check(config: string): { level: string; detail: string } {
  writeFileSync(join(root, 'surety.yaml'), config);
  return checkSuites(findPlace(root, '.'));
}

test('doctor warns if no suite runs on a promoted version', () => {
  expect(check('')).toMatchObject({ level: 'note', detail: 'none in surety.yaml' });
  const leftOut = 'flow: { command: node flow.js, promoted: false }';
  const detail = expect.stringMatching(/^0 of 1 also run on a promoted version, so/);
  expect(check(`suites: { ${leftOut} }`)).toMatchObject({ level: 'warn', detail });
  expect(check(`suites: { ${leftOut}, page: { command: node page.js } }`)).toMatchObject({
    level: 'ok',
    detail: '1 of 2 also run on a promoted version',
  });
});
