import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Fault, isFault, openGate } from '../src/index.ts';
import { agentTokenFile } from '../src/runtime/identities.ts';
import { effectPolicy, guardEffects } from './harness/gate/effect-policy.ts';
import { EffectServer } from './harness/gate/effect-server.ts';
import { killForGood } from './harness/kill-for-good.ts';
import { killHard } from './harness/kill-hard.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

/** One workspace, whose daemon has the policy of the effects in force. */
let workspace: Workspace;
beforeAll(() => {
  workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  // JSON is YAML.
  writeFileSync(join(workspace.root, 'policy.yaml'), JSON.stringify(effectPolicy));
});
afterAll(() => workspace[Symbol.asyncDispose]());

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(isFault(error)).toBe(true);
  return error as Fault;
}

/** How the calls of clients ended, from the first to the last. */
async function outcomes(): Promise<string[]> {
  const reader = await workspace.openReader();
  const kinds: string[] = [];
  for await (const page of reader.scanEntries(0)) {
    const here = page.filter(({ body }) => JSON.parse(body).executor === 'outside');
    kinds.push(...here.map(({ kind }) => kind));
  }
  await reader.close();
  return kinds.filter((kind) => /^proposal-(?:committed|failed|unknown)$/.test(kind));
}

// proves: embedding.daemon
describe('a client of the daemon', () => {
  test('asks the daemon, runs here and settles; fifty identical calls have one effect', async () => {
    await workspace.up();
    await using server = await EffectServer.start();
    await using gate = await openGate({ daemon: workspace.root, agent: 'ada' });
    const { make, find } = guardEffects(gate.guard, (name) => server.effectUrl(name));

    const calls = Array.from({ length: 50 }, () => make({ name: 'once' }, { waitMs: 20_000 }));
    const values = await Promise.all(calls);
    expect(new Set(values.map(({ by }) => by)).size).toBe(1);
    expect(await server.count('once')).toBe(1);
    expect(await find({ name: 'once' })).toEqual({ count: 1 });

    expect(await faultOf(make({ name: 'Big' }))).toMatchObject({
      code: 'PROPOSAL_DENIED',
      remedy: 'Use lower-case letters only.',
      details: { rule: 'effect.make/lower-case' },
    });
    const held = await faultOf(make({ name: 'big' }));
    expect(held).toMatchObject({ code: 'PROPOSAL_HELD', details: { role: 'approver' } });
    const { approval, argumentsHash } = held.details as Record<string, string>;
    const made = make({ name: 'big' }, { waitMs: 20_000 });
    await workspace.client().call('POST /v1/approvals/{approval}/approve', {
      path: { approval: approval as string },
      body: { argumentsHash: argumentsHash as string, reason: 'seen' },
    });
    expect(await made).toMatchObject({ made: 'big' });

    const failing = gate.guard('effect.make', () => {
      throw new Error('no paper');
    });
    expect(await faultOf(failing({ name: 'failing' }))).toMatchObject({ code: 'TOOL_FAILED' });
  });

  test('runs nothing with a grant that arrives after its time', async () => {
    await workspace.up();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    try {
      await using gate = await openGate({ daemon: workspace.root, agent: 'ada' });
      const run = vi.fn(() => ({ made: 'late' }));
      const late = gate.guard('effect.make', run)({ name: 'late' });
      expect(await faultOf(late)).toMatchObject({
        code: 'GRANT_REFUSED',
        message: expect.stringContaining('GRANT_ENDED'),
      });
      expect(run).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });

  test('connected by address may hold only grants of its own agent', async () => {
    const { port } = await workspace.up();
    const before = (await outcomes()).length;
    const url = `http://127.0.0.1:${port}`;
    const token = readFileSync(agentTokenFile(workspace.place, 'ada'), 'utf8').trim();
    let runs = 0;
    const work = (): number => ++runs;
    await using bob = await openGate({ url, token, agent: 'bob' });
    expect(await faultOf(bob.guard('effect.make', work)({ name: 'a' }))).toMatchObject({
      code: 'GRANT_REFUSED',
      remedy: expect.stringContaining('Nothing was executed'),
    });
    await bob.close();
    // What was not begun is said to be so, and nothing stays reserved for it.
    expect((await outcomes()).slice(before)).toEqual(['proposal-failed']);
    await using ada = await openGate({ url, token, agent: 'ada' });
    expect(await ada.guard('effect.make', work)({ name: 'b' })).toBe(1);
    await using nobody = await openGate({ url, token: 'x' });
    const refused = nobody.guard('effect.make', work)({ name: 'c' });
    expect(await faultOf(refused)).toMatchObject({ code: 'UNAUTHORIZED' });
    expect(runs).toBe(1);
  });

  // proves: embedding.away
  test('settles later after the daemon dies in between, and runs nothing twice', async () => {
    const { pid } = await workspace.up();
    const before = (await outcomes()).length;
    let revive: () => Promise<unknown> = () => workspace.up();
    await using server = await EffectServer.start();
    await using gate = await openGate({ daemon: workspace.root, agent: 'ada' });
    const make = gate.guard('effect.make', async ({ name }: { name: string }) => {
      revive = await killForGood(workspace, pid);
      await fetch(server.effectUrl(name), { method: 'POST' });
      return { made: name };
    });
    expect(await faultOf(make({ name: 'away' }))).toMatchObject({
      code: 'PROPOSAL_IN_FLIGHT',
      details: { reported: 'committed', proposal: expect.any(String) },
      remedy: expect.stringContaining('same key'),
    });
    expect(await faultOf(make({ name: 'away' }))).toMatchObject({ code: 'DAEMON_NOT_RUNNING' });

    await revive();
    await until('it is settled', async () => (await outcomes()).length > before);
    expect((await outcomes()).slice(before)).toEqual(['proposal-committed']);
    expect(await make({ name: 'away' })).toEqual({ made: 'away' });
    expect(await server.count('away')).toBe(1);
  });

  test('notices nothing when the daemon restarts in time', async () => {
    const { pid } = await workspace.up();
    const before = (await outcomes()).length;
    await using gate = await openGate({ daemon: workspace.root, agent: 'ada' });
    const make = gate.guard('effect.make', async ({ name }: { name: string }) => {
      await killHard(pid);
      return { made: name };
    });
    const made = make({ name: 'again' }, { waitMs: 60_000 });
    await until('the daemon is gone', () => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    });
    await workspace.up();
    expect(await made).toEqual({ made: 'again' });
    expect((await outcomes()).slice(before)).toEqual(['proposal-committed']);
  });
});
