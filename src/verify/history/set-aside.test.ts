import { describe, expect, test } from 'vitest';
import { canonicalJson, limits } from '../../kernel/index.ts';
import { verified, wire } from '../report/verified.fixture.ts';
import type { Dispute } from './disputes.ts';
import { setAside } from './set-aside.ts';

const dispute = (finding: string): Dispute => ({
  finding,
  owner: 'person:ada',
  reason: 'it is never read',
  until: Date.parse('2030-01-02'),
});

const passed = { verdict: 'pass', findings: [] } as const;

describe('what is disputed', () => {
  test('is told with who says so and until when', () => {
    const judged = setAside(verified({ ...passed, notices: [] }), [wire.id], [dispute(wire.id)]);
    expect(judged).toMatchObject({ ...passed, disputed: [dispute(wire.id)] });
    expect(judged.reason).toContain('disputed');
    expect(judged.notices).toEqual([
      `${wire.id} is disputed by person:ada until 2030-01-02: it is never read`,
    ]);
  });

  test('leaves a verdict alone that has nothing of it', () => {
    const untouched = verified();
    expect(setAside(untouched, [], [dispute(wire.id)])).toBe(untouched);
  });

  test.each(['inconclusive', 'fail'] as const)('makes no pass of %s', (verdict) => {
    const judged = setAside(
      verified({ verdict, reason: 'as it was' }),
      [wire.id],
      [dispute(wire.id)],
    );
    expect(judged).toMatchObject({ verdict, reason: 'as it was', disputed: [dispute(wire.id)] });
  });

  test.each([
    ['a pass names all', 21, 'pass'],
    ['a pass names all', limits.verdictDisputesMax, 'pass'],
    ['there is no pass', limits.verdictDisputesMax + 1, 'inconclusive'],
  ])('%s of %i that it rests on, and an entry can hold them', (_, count, verdict) => {
    const ids = Array.from({ length: count }, (_, n) => `fnd_${n}`.padEnd(20, '0'));
    const judged = setAside(verified(passed), ids, ids.map(dispute));
    expect(judged.verdict).toBe(verdict);
    const named = judged.disputed?.map(({ finding }) => finding) ?? [];
    expect(named).toEqual(ids.slice(0, limits.verdictDisputesMax));
    expect(canonicalJson(named).length).toBeLessThan(limits.bodyBytesMax / 4);
  });
});
