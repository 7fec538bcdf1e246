import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { killHard } from './harness/kill-hard.ts';
import { git } from './harness/systems/small-system.ts';
import { exampleChange, makeTradingSystem } from './harness/systems/trading-system.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

let workspace: Workspace;

const promote = (patch: string) =>
  workspace.client().call('POST /v1/promotions', { body: { patch, reason: 'an ordinary change' } });

/** The trading system, with a harmless change promoted just before each incident. */
beforeAll(async () => {
  if (!isDeep) return;
  workspace = await makeTradingSystem();
  await workspace.up();
  await workspace.run('system', 'up');
  await promote(exampleChange('harmless/rule-named'));
});
afterAll(() => workspace?.[Symbol.asyncDispose]());

const question = 'why do trades fail since the last deployment?';
const investigate = () =>
  workspace.client().call('POST /v1/investigations', { body: { question } });

const pidOf = async (service: string): Promise<number | undefined> => {
  const { services } = await workspace.client().call('GET /v1/system', {});
  return services.find((one) => one.service === service)?.pid ?? undefined;
};

/** Kills a service as often as it is started again. */
function keepKilling(service: string): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const killing = (async () => {
    while (!stopped.signal.aborted) {
      const pid = await pidOf(service).catch(() => undefined);
      if (pid !== undefined) await killHard(pid).catch(() => undefined);
      await delay(20);
    }
  })();
  return {
    stop: () => {
      stopped.abort();
      return killing;
    },
  };
}

// proves: investigate.conditions
test.runIf(isDeep)('a service that does not run is the cause, not the change before', async () => {
  const killer = keepKilling('validation');
  try {
    const found = await investigate();
    expect(found).toMatchObject({ status: 'confirmed', suspect: null });
    expect(found.cause).toMatchObject({
      place: null,
      condition: { class: 'dependency', service: 'validation', status: 'confirmed' },
    });
    expect(found.hypotheses.map(({ status }) => status)).not.toContain('confirmed');
  } finally {
    await killer.stop();
  }
  await until('it runs again', async () => (await pidOf('validation')) !== undefined);
});

test.runIf(isDeep)('a service that is paused stays unknown', async () => {
  const pid = (await pidOf('payments')) ?? 0;
  process.kill(pid, 'SIGSTOP');
  try {
    expect(await investigate()).toMatchObject({ status: 'unknown', cause: { condition: null } });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

test.runIf(isDeep)('a changed variable of surety.yaml is the cause, at its line', async () => {
  const text = git(workspace.root, 'show', 'HEAD:surety.yaml');
  const payments = /payments:[\s\S]*?port: (\d+)/.exec(text)?.[1];
  const wrong = text.replace(/(VALIDATION_URL: \S+:)\d+/, `$1${payments}`);
  const line = wrong.split('\n').findIndex((one) => one.includes('VALIDATION_URL')) + 1;
  await promote(diffOf(text, wrong));
  const found = await investigate();
  expect(found).toMatchObject({ status: 'confirmed' });
  expect(found.cause.condition).toMatchObject({
    class: 'configuration',
    service: 'pricing',
    variable: 'VALIDATION_URL',
    place: { file: 'surety.yaml', line },
  });
  expect(found.remedy).toContain('VALIDATION_URL');
  await promote(found.remedy);
  expect((await investigate()).cause.missing).toContain('all checks of the suites pass');
});

/** One line differs. */
function diffOf(before: string, after: string): string {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  const at = old.findIndex((line, index) => line !== fresh[index]);
  return [
    'diff --git a/surety.yaml b/surety.yaml',
    '--- a/surety.yaml',
    '+++ b/surety.yaml',
    `@@ -${at},3 +${at},3 @@`,
    ` ${old[at - 1]}`,
    `-${old[at]}`,
    `+${fresh[at]}`,
    ` ${old[at + 1]}`,
    '',
  ].join('\n');
}
