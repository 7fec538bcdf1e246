import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationResponse } from '../src/http/index.ts';
import { leasePort } from '../src/kernel/index.ts';
import { killHard } from './harness/kill-hard.ts';
import { commit, makeSmallSystem, type SmallSystem } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

type Services = OperationResponse<'GET /v1/system'>['services'];

const pidsOf = (value: object): (number | null)[] =>
  (value as { services: Services }).services.map(({ pid }) => pid);

describe('the system', () => {
  let system: SmallSystem;
  beforeAll(async () => {
    system = await makeSmallSystem();
    await system.workspace.up();
  });
  afterAll(() => system.workspace[Symbol.asyncDispose]());

  test('starts in the order of dependencies, answers, and stops', async () => {
    const { workspace, ask } = system;
    expect((await workspace.surety('system', 'status')).code).toBe(1);
    await workspace.run('system', 'up');
    expect(await ask('front')).toMatchObject({ version: 'one', next: { version: 'one' } });
    const kinds = await kindsAndServices(workspace);
    expect(kinds).toEqual(['service-started back', 'service-started front']);
    const before = pidsOf(await workspace.run('system', 'status'));
    await workspace.run('system', 'up');
    expect(pidsOf(await workspace.run('system', 'status'))).toEqual(before);
    await workspace.run('system', 'down');
    await expect(ask('front')).rejects.toThrow();
    expect((await kindsAndServices(workspace)).slice(2)).toEqual([
      'service-stopped front',
      'service-stopped back',
    ]);
    expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  });

  test('does not start when another program has one of its ports', async () => {
    const { workspace, ports } = system;
    const stranger = createServer();
    await new Promise<void>((resolve) => stranger.listen(ports.back, '127.0.0.1', resolve));
    const { code, value } = await workspace.surety('system', 'up');
    await new Promise((resolve) => stranger.close(resolve));
    expect([code, value.fault?.code]).toEqual([3, 'PORT_TAKEN']);
    expect(await workspace.run('system', 'up')).toMatchObject({ services: [{}, {}] });
  });

  test('does not start when another Surety is starting a service on the same port', async () => {
    const { workspace, ports } = system;
    await workspace.run('system', 'down');
    const lease = await leasePort(ports.back, 'starting');
    const { code, value } = await workspace.surety('system', 'up');
    lease?.release();
    expect([code, value.fault?.code]).toEqual([3, 'PORT_TAKEN']);
    expect(await workspace.run('system', 'up')).toMatchObject({ services: [{}, {}] });
  });

  test('survives a killed daemon and a killed keeper', async () => {
    const { workspace, ask } = system;
    const { pid } = await workspace.up();
    await workspace.run('system', 'up');
    const before = pidsOf(await workspace.run('system', 'status'));
    await killHard(pid);
    expect(await ask('front')).toMatchObject({ version: 'one' });
    await workspace.up();
    expect(pidsOf(await workspace.run('system', 'status'))).toEqual(before);
    const { keeper } = (await workspace.run('status')) as { keeper: { pid: number } };
    await killHard(keeper.pid);
    expect(await ask('front')).toMatchObject({ version: 'one' });
    await workspace.run('system', 'restart', 'back');
    const after = pidsOf(await workspace.run('system', 'status'));
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  test('runs the committed version, not the edited files', async () => {
    const { workspace, ask } = system;
    await workspace.run('system', 'up');
    const file = join(workspace.root, 'back.mjs');
    writeFileSync(file, readFileSync(file, 'utf8').replace("'one'", "'two'"));
    await workspace.run('system', 'restart', 'back');
    expect(await ask('back')).toMatchObject({ version: 'one' });
    commit(workspace.root, 'second');
    await workspace.run('system', 'down');
    await workspace.run('system', 'up');
    expect(await ask('back')).toMatchObject({ version: 'two' });
  });

  test('reports a service that does not become healthy with its log', async () => {
    const { workspace } = system;
    writeFileSync(join(workspace.root, 'back.mjs'), "throw new Error('no such table');\n");
    commit(workspace.root, 'broken');
    await workspace.run('system', 'down');
    const { code, value } = await workspace.surety('system', 'up');
    expect([code, value.fault?.code]).toEqual([3, 'SERVICE_UNHEALTHY']);
    expect(value.fault?.remedy).toContain('surety logs back');
    const entries = await workspace.client().call('GET /v1/entries', { query: {} });
    expect(entries.entries.at(-1)?.kind).toBe('proposal-failed');
  });

  test('is refused with a clear fault when it is empty or a service is unknown', async () => {
    await using workspace = new Workspace();
    await workspace.up();
    expect((await workspace.surety('system', 'up')).value.fault?.code).toBe('SYSTEM_EMPTY');
    const { value } = await workspace.surety('system', 'restart', 'nobody');
    expect(value.fault?.code).toBe('SERVICE_UNKNOWN');
  });
});

async function kindsAndServices(workspace: Workspace): Promise<string[]> {
  const { entries } = await workspace.client().call('GET /v1/entries', { query: {} });
  return entries
    .filter(({ kind }) => kind.startsWith('service-'))
    .map(({ kind, body }) => `${kind} ${body.service}`);
}
