import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../kernel/index.ts';
import type { Entry, Ledger, Rows } from '../../ledger/index.ts';
import { readCosts, verifyCosts } from './costs.ts';

const monday = Date.parse('2026-11-09');

function play(
  ...entries: readonly (readonly [kind: string, actor: string, body: JsonObject])[]
): Pick<Ledger, 'rows'> {
  const values = new Map<string, unknown>();
  const rows = {
    get: (key: string) => values.get(key),
    set: (key: string, value: unknown) => values.set(key, value),
  } as unknown as Rows;
  for (const [kind, actor, body] of entries) {
    verifyCosts.apply(rows, { kind, actor, body, at: monday } as unknown as Entry);
  }
  return {
    rows: async function* () {
      for (const [key, value] of values) yield { key, value };
    },
  } as unknown as Pick<Ledger, 'rows'>;
}

const cost = { lanes: 2, cpuMs: 30_000, memoryMbSeconds: 3_686_400, verdictMs: 90_000 };

describe('the costs of verification', () => {
  test('are summed by week and by whoever asked', async () => {
    const ledger = play(
      ['verdict-reached', 'agent:coder', { cost }],
      ['verdict-reached', 'agent:coder', { cost }],
      ['verdict-reached', 'person:ada', { cost: { ...cost, cpuMs: 1_000 } }],
    );
    expect(await readCosts(ledger, monday)).toEqual([
      {
        week: '2026-11-09',
        actor: 'agent:coder',
        verdicts: 2,
        lanes: 4,
        cpuSeconds: 60,
        memoryGbHours: 2,
        verdictMinutes: 3,
      },
      expect.objectContaining({ actor: 'person:ada', cpuSeconds: 1 }),
    ]);
  });

  test('of a lane are those of its owner, whoever closes it', async () => {
    const use = { cpuMs: 500, memoryMbSeconds: 0 };
    const ledger = play(['lane-closed', 'surety:lanes', { owner: 'agent:coder', use }]);
    const [row] = await readCosts(ledger, monday);
    expect(row).toMatchObject({ actor: 'agent:coder', lanes: 1, verdicts: 0, cpuSeconds: 0.5 });
  });

  test('of older entries and earlier weeks are left out', async () => {
    const ledger = play(['verdict-reached', 'agent:coder', { verdict: 'pass' }]);
    expect(await readCosts(ledger, monday)).toEqual([]);
    const known = play(['verdict-reached', 'agent:coder', { cost }]);
    expect(await readCosts(known, Date.parse('2026-11-16'))).toEqual([]);
  });
});
