import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alertLimits } from '../src/investigate/limits.ts';
import { laneLimits } from '../src/lanes/limits.ts';
import { startLocalServer } from './harness/local-server.ts';
import { until } from './harness/until.ts';
import { Workspace } from './harness/workspace.ts';

const config = `
people:
  monitoring: { roles: [reporter] }
agents:
  pipeline: { tools: [deployment.record] }
  coder: { tools: [task.open] }
`;

let workspace: Workspace;
let port: number;

beforeAll(async () => {
  workspace = new Workspace({ config });
  ({ port } = await workspace.up());
});
afterAll(() => workspace[Symbol.asyncDispose]());

const tokenOf = (name: string): string =>
  readFileSync(join(workspace.place.state, `${name}.token`), 'utf8').trim();

async function post(path: string, body: unknown, token = tokenOf('people/monitoring')) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, value: (await response.json()) as Record<string, unknown> };
}

const alerts = async () => (await workspace.client().call('GET /v1/alerts', {})).alerts;
const alertOf = async (name: string) => (await alerts()).find(({ alert }) => alert === name);

describe('a webhook', () => {
  const notice = (status: string, name: string, startsAt = '2026-11-15T12:00:00Z') => ({
    status,
    labels: { alertname: name, service: 'orders', password: 'hunter22' },
    annotations: { summary: `${name} is up` },
    startsAt,
    fingerprint: `f-${name}`,
  });
  const send = (...list: object[]) =>
    post('/v1/webhooks/alertmanager', { version: '4', receiver: 'surety', alerts: list });

  // proves: monitoring.alerts
  test('of Alertmanager raises a repeated alert once until it is resolved', async () => {
    const [first, second] = [notice('firing', 'slow'), notice('firing', 'down')];
    expect(await send(first, second)).toEqual({ status: 200, value: { recorded: 2, known: 0 } });
    const again = await Promise.all([send(first), send(first, second)]);
    expect(again.map(({ value }) => value)).toEqual([
      { recorded: 0, known: 1 },
      { recorded: 0, known: 2 },
    ]);
    expect(await alertOf('slow')).toMatchObject({
      state: 'firing',
      source: 'alertmanager',
      service: 'orders',
      from: null,
      note: 'slow is up',
    });
    await send(notice('resolved', 'slow'));
    expect((await send(notice('resolved', 'slow'))).value).toEqual({ recorded: 0, known: 1 });
    expect(await alertOf('slow')).toMatchObject({ state: 'resolved' });
    // The same alert, begun anew.
    expect((await send(notice('firing', 'slow', 'later'))).value).toMatchObject({ recorded: 1 });
    expect((await alerts()).map(({ alert }) => alert).slice(0, 2)).toEqual(['slow', 'down']);
    const shown = await workspace.surety('alerts');
    expect(shown.code).toBe(1);
    const { entries } = await workspace.client().call('GET /v1/entries', { query: { from: 1 } });
    const raised = entries.find(({ kind }) => kind === 'alert-raised');
    expect(raised).toMatchObject({ actor: 'person:monitoring', body: { alert: 'slow' } });
    const path = { seq: raised?.seq ?? 0 };
    const entry = await workspace.client().call('GET /v1/entries/{seq}', { path });
    expect(JSON.stringify(entry.contents)).toContain('alertname');
    expect(JSON.stringify(entry)).not.toContain('hunter22');
  });

  test('of another sender names its source', async () => {
    const alert = { name: 'disk', state: 'firing', labels: { app: 'edge' } };
    const body = { source: 'nagios', alerts: [alert] };
    expect((await post('/v1/webhooks/alerts', body)).value).toEqual({ recorded: 1, known: 0 });
    expect(await alertOf('disk')).toMatchObject({ source: 'nagios', service: 'edge' });
  });

  test.each([
    ['alertmanager', { version: '3', alerts: [] }],
    ['alertmanager', { version: '4', alerts: [{ status: 'odd', labels: {} }] }],
    ['alertmanager', { version: '4', alerts: [{ status: 'firing', labels: { a: 1 } }] }],
    ['alerts', { source: 'surety', alerts: [] }],
    ['alerts', { source: 'x', alerts: [{ name: '', state: 'firing' }] }],
    ['alerts', { source: 'x', alerts: [], more: 1 }],
  ])('of %s with an invalid body is refused as a whole: %j', async (name, body) => {
    const before = (await alerts()).length;
    expect(await post(`/v1/webhooks/${name}`, body)).toMatchObject({
      status: 400,
      value: { fault: { code: 'REQUEST_INVALID' } },
    });
    expect(await alerts()).toHaveLength(before);
  });

  test('accepts at most the limit of alerts in one request', async () => {
    const many = (count: number) => ({
      source: 'many',
      alerts: Array.from({ length: count }, (_, n) => ({ name: `n${n}`, state: 'resolved' })),
    });
    expect(await post('/v1/webhooks/alerts', many(alertLimits.webhookAlertsMax))).toMatchObject({
      value: { recorded: 0, known: alertLimits.webhookAlertsMax },
    });
    expect(await post('/v1/webhooks/alerts', many(alertLimits.webhookAlertsMax + 1))).toMatchObject(
      {
        status: 400,
      },
    );
  });

  test('fills a list of alerts that is limited in number and says the total', async () => {
    const some = (from: number, count: number) => ({
      source: 'page',
      alerts: Array.from({ length: count }, (_, n) => ({ name: `p${from + n}`, state: 'firing' })),
    });
    const { all } = await workspace.client().call('GET /v1/alerts', {});
    await post('/v1/webhooks/alerts', some(0, alertLimits.alertsPageMax - all));
    expect((await alerts()).length).toBe(alertLimits.alertsPageMax);
    await post('/v1/webhooks/alerts', some(alertLimits.alertsPageMax, 1));
    const answer = await workspace.client().call('GET /v1/alerts', {});
    expect(answer.alerts).toHaveLength(alertLimits.alertsPageMax);
    expect(answer.all).toBe(alertLimits.alertsPageMax + 1);
    expect(answer.alerts[0]).toMatchObject({ alert: `p${alertLimits.alertsPageMax}` });
  });

  test('needs a token with the role reporter', async () => {
    const body = { source: 'x', alerts: [] };
    expect(await post('/v1/webhooks/alerts', body, 'wrong')).toMatchObject({ status: 401 });
    expect(await post('/v1/webhooks/alerts', body, tokenOf('agents/coder'))).toMatchObject({
      status: 403,
    });
  });

  test('accepts the notifications of a real Alertmanager', async ({ skip }) => {
    const program = '/usr/bin/prometheus-alertmanager';
    skip(!existsSync(program) && !process.env.CI, `there is no ${program} here`);
    const manager = await startLocalServer(program, (own, directory) => {
      const hook = `http://127.0.0.1:${port}/v1/webhooks/alertmanager`;
      const authorization = { credentials: tokenOf('people/monitoring') };
      const receiver = { url: hook, send_resolved: true, http_config: { authorization } };
      const route = { receiver: 'surety', group_wait: '10ms', group_interval: '10ms' };
      const receivers = [{ name: 'surety', webhook_configs: [receiver] }];
      writeFileSync(join(directory, 'config.yml'), JSON.stringify({ route, receivers }));
      return [
        ...[`--config.file=${join(directory, 'config.yml')}`, `--storage.path=${directory}`],
        ...[`--web.listen-address=127.0.0.1:${own}`, '--cluster.listen-address='],
      ];
    });
    try {
      const raise = (endsAt?: string) =>
        fetch(`http://127.0.0.1:${manager.port}/api/v2/alerts`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify([
            { labels: { alertname: 'Real', service: 'edge' }, ...(endsAt ? { endsAt } : {}) },
          ]),
        });
      expect((await raise()).status).toBe(200);
      await until('it is raised', async () => (await alertOf('Real'))?.state === 'firing');
      await raise(new Date(Date.now() - 1_000).toISOString());
      await until('it is resolved', async () => (await alertOf('Real'))?.state === 'resolved');
    } finally {
      await manager.stop();
    }
    expect(await alertOf('Real')).toMatchObject({ source: 'alertmanager', service: 'edge' });
  });
});

describe('a deployment', () => {
  const record = (...words: string[]) => workspace.surety('deploy', 'record', ...words);
  const last = async () =>
    (await workspace.client().call('GET /v1/deployments', {})).deployments[0];

  test('is recorded with what ran before it', async () => {
    await record('--service', 'orders', '--version', 'v1', '--note', 'by hand');
    const { value } = await record('--service', 'orders', '--version', 'v2');
    expect(value).toMatchObject({ service: 'orders', previous: 'v1' });
    expect(await last()).toMatchObject({ kind: 'deployment', version: 'v2', previous: 'v1' });
    const { code, value: wrong } = await record('--service', 'orders');
    expect([code, wrong.fault?.code]).toEqual([2, 'USAGE']);
  });

  test('may be recorded by a pipeline, and by an agent only if the policy allows it', async () => {
    const body = { service: 'edge', version: 'v9' };
    expect(await post('/v1/deployments', body)).toMatchObject({ status: 200 });
    expect((await last())?.actor).toBe('person:monitoring');
    expect(await post('/v1/deployments', body, tokenOf('agents/pipeline'))).toMatchObject({
      status: 200,
    });
    expect(await post('/v1/deployments', body, tokenOf('agents/coder'))).toMatchObject({
      status: 403,
    });
  });

  test('has a version of limited length', async () => {
    const of = (chars: number) => ({ service: 'edge', version: 'v'.repeat(chars) });
    const { deploymentTextCharsMax: limit } = laneLimits;
    expect((await post('/v1/deployments', of(laneLimits.deploymentTextCharsMax))).status).toBe(200);
    expect((await post('/v1/deployments', of(limit + 1))).status).toBe(400);
  });

  test('of a configuration is recorded when the daemon reads another surety.yaml', async () => {
    const { configFile } = workspace.place;
    writeFileSync(configFile, `${readFileSync(configFile, 'utf8')}\nprotected: [secrets]\n`);
    await workspace.surety('down');
    ({ port } = await workspace.up());
    expect(await last()).toMatchObject({ kind: 'configuration', note: 'surety.yaml: protected' });
    await workspace.surety('down');
    ({ port } = await workspace.up());
    const { deployments } = await workspace.client().call('GET /v1/deployments', {});
    const told = deployments.filter(({ note }) => note.startsWith('surety.yaml'));
    expect(told).toHaveLength(1);
    expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  });
});

test('metrics --prometheus without a server in surety.yaml says how to add one', async () => {
  const { code, value } = await workspace.surety('metrics', 'memory', '--prometheus');
  expect([code, value.fault?.code]).toEqual([1, 'PROMETHEUS_NOT_SET']);
});
