import { describe, expect, test } from 'vitest';
import type { Config } from '../../system/index.ts';
import type { VerifiedChange } from '../api-schema.ts';
import type { ChangeCoverage } from '../line-coverage/api-schema.ts';
import { gapsIn, type JudgedPatch } from './gaps.ts';

const config = {
  services: {
    orders: { paths: ['services/orders'] },
    fees: { paths: ['services/fees'] },
    redis: { paths: [] },
  },
  suites: { 'trade-flow': {}, 'odd-requests': {} },
} as unknown as Config;

function judged(files: readonly string[], more: Partial<VerifiedChange>): JudgedPatch {
  const patch = files
    .map(
      (file) =>
        `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-a\n+b\n`,
    )
    .join('');
  return { patch, verdict: { id: 'vrd_1', services: ['orders'], ...more } as VerifiedChange };
}

const coverage = (more: Partial<ChangeCoverage>): ChangeCoverage => ({
  status: 'partial',
  lines: 2,
  ran: 1,
  unexecuted: [],
  unexecutedOmitted: 0,
  places: [],
  unknown: [],
  data: [],
  ...more,
});

// proves: verify.gaps
describe('the gaps of verification', () => {
  test('name services that no verdict was about, without those that nobody changes', () => {
    expect(gapsIn([judged(['services/orders/main.ts'], {})], config).services).toEqual(['fees']);
  });

  test('name changed code that no request ran, with its condition', () => {
    const place = {
      file: 'services/orders/main.ts',
      line: 7,
      end: 8,
      change: 'added',
      text: 'refund(order);',
      isLoaded: true,
      function: 'pay',
      route: null,
      condition: 'if (isLate)',
      request: null,
    } as const;
    const one = judged([place.file], { coverage: coverage({ unexecuted: [place] }) });
    const { file, line, text, condition } = place;
    const named = { file, line, text, condition, verdict: 'vrd_1' };
    expect(gapsIn([one], config).unexecuted).toEqual([named]);
  });

  test('name kinds of files whose code is not known to have run, first', () => {
    const node = judged(['a/main.ts', 'a/schema.sql'], {
      coverage: coverage({ places: ['a/main.ts:4-6'], data: ['a/schema.sql'] }),
    });
    const go = judged(['b/main.go', 'Dockerfile'], {
      coverage: coverage({ places: ['b/main.go:1'], unknown: ['b/main.go'] }),
    });
    expect(gapsIn([node, go, judged(['c/more.go'], {})], config).kinds).toEqual([
      { kind: '.go', changes: 2, executed: 0 },
      { kind: '.sql', changes: 1, executed: 0 },
      { kind: 'Dockerfile', changes: 1, executed: 0 },
      { kind: '.ts', changes: 1, executed: 1 },
    ]);
  });

  test('count for each suite how many changes it ran on, and how many failed a check', () => {
    const run = (failed: number, at: number): JudgedPatch =>
      judged(['a.ts'], { at, suites: [{ suite: 'trade-flow', checks: 9, failed }] });
    expect(gapsIn([run(0, 30), run(2, 20), run(1, 10)], config).suites).toEqual([
      { suite: 'trade-flow', runs: 3, caught: 2, lastCaughtAt: 20 },
      { suite: 'odd-requests', runs: 0, caught: 0, lastCaughtAt: null },
    ]);
  });
});
