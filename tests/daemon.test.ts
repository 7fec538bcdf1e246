import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { killHard } from './harness/kill-hard.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

interface DoctorCheck {
  readonly name: string;
  readonly level: string;
  readonly detail: string;
  readonly remedy?: string;
}

describe('the daemon', () => {
  // proves: daemon.lifecycle, daemon.clean
  test('starts, answers and stops, and each command may be repeated', async () => {
    await using workspace = new Workspace();
    expect(await workspace.surety('status')).toMatchObject({ code: 1, value: { running: false } });
    const first = await workspace.up();
    expect((await workspace.up()).pid).toBe(first.pid);
    expect(await workspace.run('status')).toMatchObject({ running: true, pid: first.pid });
    expect(await workspace.run('down')).toMatchObject({ stopped: ['daemon'] });
    await expect.poll(() => workspace.processes()).toEqual([]);
    expect(await workspace.run('down')).toEqual({ stopped: [] });
    const again = await workspace.up();
    expect(again.ledger.head.seq).toBeGreaterThan(first.ledger.head.seq);
  });

  // proves: keeper.outlives, daemon.restarted
  test('is restarted by the keeper when it was killed, on the same port', async () => {
    await using workspace = new Workspace();
    const first = await workspace.up();
    const before = await workspace.run('status');
    await killHard(first.pid);
    const after = await until('another daemon answers', async () => {
      const { code, value } = await workspace.surety('status');
      return code === 0 && value.pid !== first.pid ? value : undefined;
    });
    expect(after.keeper).toEqual(before.keeper);
    const second = await workspace.up();
    expect(second).toMatchObject({ pid: after.pid, port: first.port });
    expect((await workspace.surety('ledger', 'verify')).code).toBe(0);
    expect((await workspace.surety('ledger', 'rebuild')).code).toBe(0);
    // At once: the keeper may not have noticed its death yet.
    await killHard(second.pid);
    expect((await workspace.up()).pid).not.toBe(second.pid);
  });

  test('is reported as missing by doctor after it was killed together with its keeper', async () => {
    await using workspace = new Workspace();
    const { pid, keeper } = await workspace.up();
    await killHard(keeper?.pid ?? 0);
    await killHard(pid);
    const doctor = (await workspace.run('doctor')).checks as DoctorCheck[];
    expect(doctor.find(({ name }) => name === 'processes')).toMatchObject({ level: 'warn' });
  });

  test('starts with a policy that it rejects, and up and doctor fail because of it', async () => {
    await using workspace = new Workspace({ config: 'policy: broken.yaml\n' });
    writeFileSync(join(workspace.root, 'broken.yaml'), 'version: 7\n');
    expect(await workspace.surety('up')).toMatchObject({
      code: 1,
      value: { policy: { hash: null, problem: expect.stringContaining('version') } },
    });
    const { code, value } = await workspace.surety('doctor');
    expect(code).toBe(1);
    const checks = value.checks as DoctorCheck[];
    expect(checks.find(({ name }) => name === 'policy')).toMatchObject({ level: 'bad' });
  });

  // proves: daemon.stop
  test('answers open requests and ends open streams before it stops', async () => {
    await using workspace = new Workspace();
    await workspace.up();
    const client = workspace.client();
    const streaming = (async () => {
      const seen: number[] = [];
      const stream = workspace.client().stream('GET /v1/entries/stream', { query: {} });
      for await (const { seq } of stream) seen.push(seq);
      return seen;
    })();
    const notes = Array.from({ length: 40 }, (_, index) =>
      client.call('POST /v1/notes', { body: { text: `note ${index}` } }).catch(() => undefined),
    );
    await notes[0];
    await workspace.run('down');
    const answered = (await Promise.all(notes)).filter((note) => note !== undefined);
    const kinds: string[] = [];
    const reader = await workspace.openReader();
    for await (const page of reader.scanEntries(0)) kinds.push(...page.map(({ kind }) => kind));
    await reader.close();
    expect(kinds.at(-1)).toBe('daemon-stopped');
    const granted = kinds.filter((kind) => kind === 'proposal-granted').length;
    expect(kinds.filter((kind) => kind === 'proposal-committed')).toHaveLength(granted);
    expect(granted).toBeGreaterThanOrEqual(answered.length);
    expect((await streaming).length).toBeGreaterThan(0);
  });

  test('reports the mistake in surety.yaml and starts nothing', async () => {
    await using workspace = new Workspace({ config: 'workspce: shop\n' });
    const { code, value } = await workspace.surety('up');
    expect([code, value.fault?.code]).toEqual([2, 'CONFIG_INVALID']);
    expect(value.fault?.message).toContain('surety.yaml:1:1');
    expect(workspace.processes()).toEqual([]);
  });

  test('reports a port in use as a fault, not only in a log', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as { port: number };
    await using workspace = new Workspace({ config: `api:\n  port: ${port}\n` });
    const { code, value } = await workspace.surety('up');
    expect([code, value.fault?.code]).toEqual([3, 'PORT_TAKEN']);
    const checks = (await workspace.surety('doctor')).value.checks as DoctorCheck[];
    expect(checks.find(({ name }) => name === 'port')).toMatchObject({ level: 'bad' });
    await new Promise((resolve) => blocker.close(resolve));
  });

  // proves: daemon.doctor
  test('has its directory checked by doctor, which reports problems with remedies', async () => {
    await using workspace = new Workspace();
    await workspace.up();
    expect(await workspace.surety('doctor')).toMatchObject({ code: 0, value: { ok: true } });
    const { chmodSync } = await import('node:fs');
    chmodSync(workspace.place.tokenFile, 0o644);
    const { code, value } = await workspace.surety('doctor');
    expect(code).toBe(1);
    const bad = (value.checks as DoctorCheck[]).filter(({ level }) => level === 'bad');
    expect(bad.map(({ name }) => name)).toContain('secrets');
    expect(bad[0]?.remedy).toContain('chmod 600');
    chmodSync(workspace.place.tokenFile, 0o600);
  });

  test('is found by doctor and stopped by down when its keeper was killed', async () => {
    await using workspace = new Workspace();
    const { pid } = await workspace.up();
    const { keeper } = (await workspace.run('status')) as { keeper: { pid: number } };
    process.kill(pid, 'SIGSTOP');
    await killHard(keeper.pid);
    const { value } = await workspace.surety('doctor');
    const found = (value.checks as DoctorCheck[]).find(({ name }) => name === 'leftovers');
    expect(found).toMatchObject({ level: 'warn' });
    expect(found?.detail).toContain(`pid ${pid}`);
    await workspace.run('down');
    // The keeper answers its last request before it leaves.
    await expect.poll(() => workspace.processes()).toEqual([]);
  });

  test('has logs that can be read by name, also when nothing runs', async () => {
    await using workspace = new Workspace();
    expect((await workspace.surety('logs', 'nobody')).value.fault?.code).toBe('NOT_FOUND');
    await workspace.up();
    await workspace.run('down');
    const line = String((await workspace.run('logs', 'daemon', '-n', '1')).line);
    expect(JSON.parse(line)).toMatchObject({ source: 'daemon', event: 'daemon-stopped' });
    expect(existsSync(workspace.place.daemonFile)).toBe(false);
    expect(readFileSync(workspace.place.keyFile, 'utf8')).toContain('PRIVATE KEY');
    writeFileSync(workspace.place.daemonFile, '{"pid":1,"po');
    expect(await workspace.surety('status')).toMatchObject({ code: 1 });
  });
});
