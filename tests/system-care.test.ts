import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationResponse } from '../src/http/index.ts';
import { readStat } from '../src/keeper/strays/processes.ts';
import { isDeep } from './harness/deep.ts';
import { killForGood } from './harness/kill-for-good.ts';
import { type CareSystem, makeCareSystem } from './harness/systems/care-system.ts';
import { until } from './harness/until.ts';

type Service = OperationResponse<'GET /v1/system'>['services'][number];

// One system for all: each test leaves it running.
describe('a supervised system', () => {
  let system: CareSystem;
  let daemonPid = 0;

  beforeAll(async () => {
    system = await makeCareSystem();
    daemonPid = (await system.workspace.up()).pid;
    await system.workspace.run('system', 'up');
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
  });

  const statusOf = async (name: string): Promise<Service | undefined> => {
    const { value } = await system.workspace.surety('system', 'status');
    const services = value.services as Service[];
    return services.find(({ service }) => service === name);
  };

  const untilState = (name: string, state: Service['state']): Promise<Service> =>
    until(`${name} is ${state}`, async () => {
      const found = await statusOf(name);
      return found?.state === state ? found : undefined;
    });

  test('reports the resources of its services, and the state of one that runs elsewhere', async () => {
    const plain = await statusOf('plain');
    expect(plain).toMatchObject({ state: 'running', restarts: 0, processes: 1, address: null });
    expect(plain?.memoryBytes).toBeGreaterThan(1024 * 1024);
    expect(await statusOf('staging')).toMatchObject({ state: 'running', pid: null });
    const { value } = await system.workspace.surety('system', 'restart', 'staging');
    expect(value.fault?.code).toBe('SERVICE_ELSEWHERE');
    expect(existsSync(join(system.workspace.place.logs, 'staging.log'))).toBe(false);
  });

  // proves: system.secrets
  test('gives a secret only to its own service', async () => {
    const { workspace, secret } = system;
    expect(await system.get('plain')).toMatchObject({ TOKEN: secret, built: 'built' });
    expect((await system.get('hungry')).TOKEN).toBeUndefined();
    const shown = await workspace.surety('system', 'logs', 'plain');
    expect(shown.value.line).toBe('my token is [redacted secret]');
    const entries = await workspace.client().call('GET /v1/entries', { query: {} });
    const state = readFileSync(join(workspace.place.state, 'keeper.json'), 'utf8');
    for (const text of [JSON.stringify(entries), state]) expect(text).not.toContain(secret);
  });

  // proves: system.secrets
  test('redacts secrets in the logs of candidates, also in a part of a log', async () => {
    const { workspace, secret } = system;
    const opened = await workspace.run('lane', 'open', '--services', 'plain');
    const { lane } = opened.lane as { lane: string };
    const shown = [{ service: 'plain', line: 'my token is [redacted secret]' }];
    expect(await workspace.run('lane', 'logs', lane, 'plain')).toMatchObject({ lines: shown });
    const matching = async (text: string): Promise<number> => {
      const query = { matching: text };
      const request = { path: { lane }, query };
      return (await workspace.client().call('GET /v1/lanes/{lane}/logs', request)).lines.length;
    };
    expect([await matching('my token'), await matching(secret.slice(0, 7))]).toEqual([1, 0]);
    const { value } = await workspace.surety('lane', 'logs', lane, 'hungry');
    expect(value.fault?.code).toBe('NOT_FOUND');
    await workspace.run('lane', 'close', lane);
  });

  // proves: system.lost
  test('starts a service again that died together with the keeper', async () => {
    const { workspace } = system;
    const { keeper } = (await workspace.run('status')) as { keeper: { pid: number } };
    const { pid } = await untilState('plain', 'running');
    // The keeper first, so that it does not restart the service itself.
    for (const victim of [keeper.pid, pid ?? 0]) process.kill(victim, 'SIGKILL');
    await workspace.up();
    const revived = await until('it is started again', async () => {
      const { value } = await workspace.surety('system', 'status');
      const found = (value.services as Service[] | undefined)?.find(
        ({ service }) => service === 'plain',
      );
      return found?.state === 'running' && found.pid !== pid ? found : undefined;
    });
    expect(await system.get('plain')).toMatchObject({ pid: revived.pid, TOKEN: system.secret });
  });

  // proves: system.lost
  test.runIf(isDeep)('tries again to start a lost service that cannot be started yet', async () => {
    const { workspace, secret } = system;
    const token = join(workspace.root, 'token.txt');
    rmSync(token);
    const { keeper } = (await workspace.run('status')) as { keeper: { pid: number } };
    const { pid } = await untilState('plain', 'running');
    for (const victim of [keeper.pid, pid ?? 0]) process.kill(victim, 'SIGKILL');
    await workspace.up();
    const log = join(workspace.place.logs, 'daemon.log');
    await until('a start fails', () => readFileSync(log, 'utf8').includes('revive-failed'));
    writeFileSync(token, `${secret}\n`);
    await until('it answers again', () => system.get('plain').catch(() => undefined));
    expect((await untilState('plain', 'running')).pid).not.toBe(pid);
  });

  test('restarts a crashed service, also while the daemon is dead', async () => {
    const { workspace } = system;
    const revive = await killForGood(workspace, daemonPid);
    await system.get('plain', '/crash').catch(() => undefined);
    await until('it answers again', () => system.get('plain').catch(() => undefined));
    daemonPid = (await revive()).pid;
    expect(await statusOf('plain')).toMatchObject({
      state: 'running',
      restarts: 1,
      reason: 'it ended with code 7',
    });
    const { value } = await workspace.surety('system', 'logs', 'plain');
    expect(value.line).toBe('my token is [redacted secret]');
  });

  // proves: system.limits
  test('kills a service that exceeds its memory limit, reports it, and restarts it', async () => {
    await system.get('hungry', '/eat').catch(() => undefined);
    const again = await until('it was started again', async () => {
      const found = await statusOf('hungry');
      return found?.state === 'running' && found.restarts > 0 ? found : undefined;
    });
    expect(again.reason).toBe('it used more memory than its limit');
  });

  // proves: system.crash-loop
  test.runIf(isDeep)(
    'reports a service that crashes in a loop, and starts it once its cause is gone',
    async () => {
      const broken = join(system.workspace.root, 'broken');
      writeFileSync(broken, '');
      await system.get('looping', '/crash').catch(() => undefined);
      const { reason } = await untilState('looping', 'crashed');
      expect(reason).toMatch(/^it ended with code 3, [6-9] times in a row$/);
      rmSync(broken);
      await until('it answers again', () => system.get('looping').catch(() => undefined));
      await system.workspace.run('system', 'restart', 'looping');
      expect(await statusOf('looping')).toMatchObject({ state: 'running', restarts: 0 });
    },
  );

  test('applies an overlay, and restarts only the services that it changes', async () => {
    const before = await system.get('hungry');
    await system.workspace.run('system', 'up', '--overlay', 'prod-like');
    expect(await system.get('plain')).toMatchObject({ MODE: 'production' });
    expect((await system.get('hungry')).pid).toBe(before.pid);
    expect(await statusOf('plain')).toMatchObject({ overlay: 'prod-like' });
    await system.workspace.run('system', 'restart', 'plain');
    expect(await system.get('plain')).toMatchObject({ MODE: 'production' });
    const { value } = await system.workspace.surety('system', 'up', '--overlay', 'prodlike');
    expect([value.fault?.code, value.fault?.remedy]).toEqual([
      'OVERLAY_UNKNOWN',
      'Did you mean prod-like? Overlays: prod-like',
    ]);
    const builds = readFileSync(join(system.workspace.root, 'builds.txt'), 'utf8');
    expect(builds).toBe('once\n');
  });

  test('reports everything that is missing before it stops or starts a service', async () => {
    const { workspace, secret } = system;
    const token = join(workspace.root, 'token.txt');
    const { pid } = await system.get('plain');
    rmSync(token);
    const { value } = await workspace.surety('system', 'restart', 'plain');
    writeFileSync(token, secret);
    expect(value.fault).toMatchObject({ code: 'SECRET_MISSING' });
    expect((await system.get('plain')).pid).toBe(pid);
  });

  test('stops despite a service that ignores SIGTERM', async () => {
    const { pid } = await system.get('stubborn');
    await system.workspace.surety('system', 'down');
    expect(readStat(Number(pid))?.isZombie ?? true).toBe(true);
    expect(await statusOf('staging')).toMatchObject({ state: 'running' });
  });
});
