import { expect, test } from 'vitest';
import type { Actor } from '../../kernel/index.ts';
import { verifyLimits } from '../limits.ts';
import { Progress } from './progress.ts';
import { VerificationQueue } from './verification-queue.ts';

const clock = { now: () => 0, keepAfter: () => undefined, aheadMs: () => 0 };

test(`an agent has ${verifyLimits.agentVerificationsMax} verifications waiting or running, and no more`, async () => {
  const progress = new Progress(clock, new VerificationQueue(() => true));
  const { promise, resolve } = Promise.withResolvers<void>();
  const begin = (actor: Actor, verdict: string): Promise<void> =>
    progress.during({ verdict, actor, change: 'chg_1' }, () => promise);
  const all = Array.from({ length: verifyLimits.agentVerificationsMax }, (_, n) => `verdict_${n}`);
  const running = all.map((verdict) => begin('agent:coder', verdict));
  const full = { code: 'VERIFICATIONS_FULL' };
  await expect(begin('agent:coder', 'verdict_x')).rejects.toMatchObject(full);
  running.push(begin('agent:other', 'verdict_y'));
  expect(progress.list()).toHaveLength(all.length + 1);
  resolve();
  await Promise.all(running);
  expect(progress.list()).toEqual([]);
  await begin('agent:coder', 'verdict_z');
});
