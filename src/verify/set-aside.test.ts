import { describe, expect, test } from 'vitest';
import { limits } from '../kernel/index.ts';
import type { Dispute } from './disputes.ts';
import { checkThatSays, verified, wire } from './report/verified.fixture.ts';
import { setAside } from './set-aside.ts';

const dispute = (finding: string): Dispute => ({
  finding,
  owner: 'person:ada',
  reason: 'it is never read',
  until: Date.parse('2030-01-02'),
});
const other = { ...checkThatSays('is flagged'), id: 'fnd_other' };

describe('what is disputed', () => {
  test('fails nothing, and is told with who says so and until when', () => {
    const judged = setAside(verified({ notices: [] }), [dispute(wire.id)]);
    expect(judged).toMatchObject({ verdict: 'pass', findings: [], disputed: [dispute(wire.id)] });
    expect(judged.reason).toContain('disputed');
    expect(judged.notices).toEqual([
      `${wire.id} is disputed by person:ada until 2030-01-02: it is never read`,
    ]);
  });

  test('leaves all other findings as they are', () => {
    const judged = setAside(verified({ findings: [wire, other] }), [dispute(wire.id)]);
    expect(judged).toMatchObject({ verdict: 'fail', findings: [other] });
    const untouched = verified({ findings: [other] });
    expect(setAside(untouched, [dispute(wire.id)])).toBe(untouched);
  });

  test('makes no verdict of a run that said nothing', () => {
    const unclear = verified({ verdict: 'inconclusive', reason: 'no reach' });
    const judged = setAside(unclear, [dispute(wire.id)]);
    expect(judged).toMatchObject({ verdict: 'inconclusive', reason: 'no reach' });
  });

  test.each([
    [limits.verdictDisputesMax, limits.verdictDisputesMax],
    [limits.verdictDisputesMax + 1, limits.verdictDisputesMax],
  ])('of %i, %i are named', (count, named) => {
    const findings = Array.from({ length: count }, (_, n) => ({ ...wire, id: `fnd_${n}` }));
    const judged = setAside(
      verified({ findings }),
      findings.map(({ id }) => dispute(id)),
    );
    expect(judged.disputed).toHaveLength(named);
  });
});
