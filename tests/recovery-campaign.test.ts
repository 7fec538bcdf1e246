import { expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { runRecoveryCampaign } from './harness/gate/recovery-campaign.ts';

const kills = 100;

// proves: gate.recovery-finishes, gate.once, gate.budgets
test.runIf(isDeep)(
  `leaves nothing unknown after ${kills} kills of daemon and effect server`,
  async () => {
    const { left, problems, doubts } = await runRecoveryCampaign(kills);
    expect(problems).toEqual([]);
    expect(left).toBe(0);
    expect(doubts).toBeGreaterThan(0);
  },
  1_800_000,
);
