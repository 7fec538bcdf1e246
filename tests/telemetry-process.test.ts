import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDaemonFile } from '../src/runtime/state-files.ts';
import { errorsQuery } from '../src/runtime/telemetry/promotion-errors.ts';
import { connectTelemetry, readTelemetryFile, type Telemetry } from '../src/telemetry/index.ts';
import { post } from '../src/telemetry/otlp/receivers.fixture.ts';
import { logsOf, span, spansOf } from '../src/telemetry/otlp/scene.fixture.ts';
import { freePort } from './harness/free-ports.ts';
import { killForGood } from './harness/kill-for-good.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const service = `
  const { createServer } = require('node:http');
  const told = Object.entries(process.env).filter(([name]) => /^(OTEL_|SURETY_TELEMETRY)/.test(name));
  const answer = JSON.stringify(Object.fromEntries(told));
  createServer((_, response) => response.end(answer)).listen(Number(process.env.PORT));
`;

const secret = 'correct horse battery staple';

let workspace: Workspace;
let servicePort: number;
let telemetry: Telemetry;

beforeAll(async () => {
  servicePort = await freePort();
  const config = `
services:
  teller:
    command: node teller.cjs
    port: ${servicePort}
    health: /
    secrets: { TELLER_SECRET: "file:secret.txt" }
telemetry: { enabled: true }
`;
  workspace = new Workspace({ config });
  writeFileSync(join(workspace.root, 'teller.cjs'), service);
  writeFileSync(join(workspace.root, 'secret.txt'), `${secret}\n`);
  writeFileSync(join(workspace.root, '.gitignore'), '.surety/\nsecret.txt\n');
  git(workspace.root, 'init', '--quiet', '--initial-branch=main');
  commit(workspace.root, 'first');
  await workspace.up();
  telemetry = connectTelemetry(workspace.place.state);
});
afterAll(() => workspace[Symbol.asyncDispose]());

const file = () => readTelemetryFile(workspace.place.state);

/** The keeper starts it again. */
const another = (before: number) =>
  until('another one answers', async () => {
    const pid = (await telemetry.ask('GET /control/status').catch(() => undefined))?.pid;
    return pid !== undefined && pid !== before;
  });

const query = (sql: string): ReturnType<typeof telemetry.ask<'POST /control/query'>> =>
  telemetry.ask('POST /control/query', { sql });

const count = async (sql: string): Promise<number> => Number((await query(sql)).rows[0]?.[0]);

const texts = async (sql: string): Promise<string[]> => {
  const { rows } = await query(sql);
  return rows.map(([text]) => String(text));
};

// proves: telemetry.process
test('telemetry starts with the first service and passes it the address', async () => {
  expect(file()).toBeUndefined();
  expect(await workspace.run('status')).toMatchObject({ telemetry: null });

  await workspace.run('system', 'up');
  const { port, grpcPort } = file() ?? { port: 0, grpcPort: 0 };
  const told = await (await fetch(`http://127.0.0.1:${servicePort}/`)).json();
  expect(told).toMatchObject({
    SURETY_TELEMETRY: `127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_SERVICE_NAME: 'teller',
  });
  expect(await workspace.run('status')).toMatchObject({
    telemetry: { port, grpcPort, trouble: null },
  });
  expect(statSync(join(workspace.place.state, 'telemetry.json')).mode & 0o077).toBe(0);
});

// proves: telemetry.process
test('telemetry stores what is sent and reports errors in its status', async () => {
  const body = JSON.stringify(
    spansOf([span(), span({ spanId: 'ab' })], { 'service.name': 'sender' }),
  );
  const answer = await post(file()?.port ?? 0, { body });
  expect(answer.body.toString()).toContain('"rejectedSpans":"1"');
  const stored = `SELECT count(*) FROM spans WHERE service = 'sender'`;
  await until('it is stored', async () => (await count(stored)) === 1);
  const { value } = await workspace.surety('status');
  expect(value.telemetry).toMatchObject({ counts: { 'rows rejected': 1 }, rowsRefused: 0 });
});

// proves: telemetry.senders
test('a stranger that reports errors of a service is not counted by the promotion watch', async () => {
  const now = Date.now();
  const times = { startTimeUnixNano: `${now}000000`, endTimeUnixNano: `${now + 5}000000` };
  const failed = span({ ...times, kind: 2, name: 'forged', status: { code: 2 } });
  const claim = { 'service.name': 'teller', 'service.instance.id': 'teller/baseline/run_1' };
  const body = JSON.stringify(spansOf([failed], claim));
  expect((await post(file()?.port ?? 0, { body })).status).toBe(200);
  await until('it is stored', () => count(`SELECT count(*) FROM spans WHERE name = 'forged'`));
  const { header, value } = (await workspace.run('telemetry', 'key', 'main')) as Record<
    string,
    string
  >;
  const passedOn = body.replaceAll('forged', 'passed-on').replace('teller"', 'other"');
  const headers = { [String(header)]: String(value) };
  expect((await post(file()?.port ?? 0, { body: passedOn, headers })).status).toBe(200);
  const proven = `SELECT count(*) FROM spans WHERE instance = 'teller/baseline/run_1'`;
  await until('a collector is trusted', () => count(proven));
  const minute = 60_000;
  const watch = { promotedAt: now - minute, since: now - minute, until: now + minute };
  const watched = { commit: 'a', base: 'b', services: ['teller'], task: null, ...watch };
  const seen = errorsQuery(watched, now + minute);
  // The service itself has proven who it is.
  await until('it counts', () => count(`SELECT coalesce(sum(requests), 0) FROM (${seen})`));
  expect(await count(`SELECT sum(errors) FROM (${seen})`)).toBe(0);
  expect(await count(`SELECT count(*) FROM requests WHERE service = 'teller' AND is_error`)).toBe(
    1,
  );
});

// proves: daemon.answers
test('the daemon answers its status while telemetry and the keeper are paused', async () => {
  const { keeper } = (await workspace.run('status')) as { keeper: { pid: number } | null };
  const paused = [file()?.pid ?? 0, keeper?.pid ?? 0];
  expect(paused).not.toContain(0);
  for (const pid of paused) process.kill(pid, 'SIGSTOP');
  try {
    const status = workspace.client().call('GET /v1/status', {}, { answerMsMax: 15_000 });
    expect(await status).toMatchObject({
      keeper: null,
      telemetry: null,
      telemetryProblem: expect.stringContaining('did not answer'),
    });
  } finally {
    for (const pid of paused) process.kill(pid, 'SIGCONT');
  }
  await until('all are back', async () => {
    const { value } = await workspace.surety('status');
    return value.keeper !== null && value.telemetry !== null;
  });
});

test('telemetry accepts control requests only on its socket, which is private', async () => {
  const { port = 0 } = file() ?? {};
  for (const path of ['/control/status', '/control/query', '/control/record']) {
    expect((await post(port, { path, body: '{"sql":"SELECT 1"}' })).status).toBe(404);
  }
  const { mode } = statSync(join(workspace.place.state, 'telemetry.sock'));
  expect(mode & 0o077).toBe(0);
  const invalid: unknown[] = [
    {},
    { sql: 7 },
    { sql: 'SELECT 1', lanes: 'a' },
    { sql: '', msMax: '' },
  ];
  for (const body of invalid) {
    const asked = telemetry.ask('POST /control/query', body as { sql: string });
    await expect(asked).rejects.toThrow('sql must be a text');
  }
});

// proves: telemetry.process
test('telemetry restarts after a kill on the same ports, with the stored rows', async () => {
  const before = file();
  process.kill(before?.pid ?? 0, 'SIGKILL');
  await another(before?.pid ?? 0);
  expect(file()).toEqual({ ...before, pid: file()?.pid });
  expect(await count(`SELECT count(*) FROM spans WHERE service = 'sender'`)).toBe(1);
  await until('it takes what is sent', async () => {
    const { status } = await post(file()?.port ?? 0, { body: JSON.stringify(spansOf([span()])) });
    return status === 200;
  });
});

// proves: telemetry.process
// proves: telemetry.secrets
test('telemetry accepts nothing until it is told the secrets again', async () => {
  const body = JSON.stringify(
    logsOf([{ body: { stringValue: `said ${secret}` } }], { 'service.name': 'leaky' }),
  );
  const say = () => post(file()?.port ?? 0, { path: '/v1/logs', body }).catch(() => undefined);
  const before = file()?.pid ?? 0;
  const revive = await killForGood(workspace, readDaemonFile(workspace.place)?.pid ?? 0);
  process.kill(before, 'SIGKILL');
  await another(before);
  const refused = await say();
  expect(refused?.status).toBe(503);
  expect(refused?.body.toString()).toContain('was not told yet what is a secret');
  expect(await telemetry.ask('GET /control/status')).toMatchObject({
    closedBecause: expect.any(String),
  });

  await revive();
  await until('it is told, and takes it', async () => (await say())?.status === 200);
  const stored = `SELECT text FROM logs WHERE service = 'leaky'`;
  await until('it is stored', async () => (await texts(stored)).length > 0);
  expect(new Set(await texts(stored))).toEqual(new Set(['said [redacted secret]']));
});

test('telemetry stops with the system', async () => {
  const { stopped } = await workspace.run('down');
  expect(stopped).toContain('telemetry');
  await expect(telemetry.ask('GET /control/status')).rejects.toMatchObject({
    code: 'TELEMETRY_UNREACHABLE',
  });
});
