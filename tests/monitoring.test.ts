import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { killHard } from './harness/kill-hard.ts';
import { commit, makeSmallSystem, type SmallSystem } from './harness/systems/small-system.ts';
import { until } from './harness/until.ts';

const backPatch = [
  'diff --git a/back.mjs b/back.mjs',
  '--- a/back.mjs',
  '+++ b/back.mjs',
  '@@ -1,3 +1,3 @@',
  " import { createServer } from 'node:http';",
  "-const version = 'one';",
  "+const version = 'two';",
  ' createServer(async (request, response) => {',
  '',
].join('\n');

const more = `telemetry: { enabled: true }
slo:
  front: { service: front, availability: 99, burn: [{ minutes: 1, rate: 10 }] }
  reads: { service: front, route: GET /, latency: { percent: 90, belowMs: 60000 }, burn: [{ minutes: 1, rate: 5 }] }
`;

let system: SmallSystem;

/** A front that fails when it is asked to. */
function letFrontFail({ workspace: { root } }: SmallSystem): void {
  const file = join(root, 'front.mjs');
  const answered = 'createServer(async (request, response) => {';
  const failing = "  if (request.url === '/fail') return response.writeHead(500).end();";
  writeFileSync(file, readFileSync(file, 'utf8').replace(answered, `${answered}\n${failing}`));
  commit(root, 'fails when asked to');
}

beforeAll(async () => {
  system = await makeSmallSystem(more);
  letFrontFail(system);
  await system.workspace.up();
  await system.workspace.run('system', 'up');
});
afterAll(() => system.workspace[Symbol.asyncDispose]());

interface TelemetryFile {
  readonly pid: number;
  readonly port: number;
}

const telemetry = (): TelemetryFile =>
  JSON.parse(readFileSync(join(system.workspace.place.state, 'telemetry.json'), 'utf8'));

async function rows(sql: string): Promise<readonly Record<string, unknown>[]> {
  const body = { sql };
  const client = system.workspace.client();
  return (await client.call('POST /v1/telemetry/query', { body })).rows;
}

const page = async (): Promise<string> =>
  (await fetch(`http://127.0.0.1:${telemetry().port}/metrics`)).text();

test('the router reports the hops of a lane with payload shapes', async () => {
  const client = system.workspace.client();
  const { lane, address } = await client.call('POST /v1/lanes', { body: { patch: backPatch } });
  const headers = { baggage: `surety-lane=${lane.lane}` };
  await (await fetch(address, { headers })).text();
  const hops = await until('both hops are there', async () => {
    const found = await rows(
      `SELECT caller, callee, response_shape FROM hops WHERE lane = '${lane.lane}'
       AND seen_by = 'router' ORDER BY callee`,
    );
    return found.length === 2 ? found : undefined;
  });
  expect(hops.map(({ caller, callee }) => [caller, callee])).toEqual([
    ['front', 'back'],
    ['', 'front'],
  ]);
  expect(JSON.parse(String(hops[0]?.response_shape))).toMatchObject({ version: ['string'] });
});

test('the Prometheus page shows requests and memory of services', async () => {
  await system.ask('front');
  const text = await until('they are counted', async () => {
    const seen = await page();
    return /container_memory_usage_bytes\{service="back"/.test(seen) ? seen : undefined;
  });
  expect(text).toMatch(/^http_requests_total\{service="front",.*status="200",lane=""\} \d+$/m);
  expect(text).toMatch(/^http_request_duration_seconds_bucket\{service="back",.*le="\+Inf"\}/m);
});

test('deployments and alerts are stored once, also when telemetry is killed', async () => {
  const client = system.workspace.client();
  await client.call('POST /v1/deployments', { body: { service: 'back', version: 'v7' } });
  const alerts = [{ name: 'slow', state: 'firing' as const, service: 'back' }];
  await client.call('POST /v1/webhooks/alerts', { body: { source: 'nagios', alerts } });
  const told = () =>
    rows(`SELECT service, version AS what FROM deployments WHERE kind = 'deployment'
      UNION ALL SELECT service, name FROM alerts ORDER BY what`);
  const both = [
    { service: 'back', what: 'slow' },
    { service: 'back', what: 'v7' },
  ];
  await until('both are told', async () => (await told()).length === 2);
  expect(await told()).toEqual(both);
  const { pid } = telemetry();
  await killHard(pid);
  await until('there is another', () => telemetry().pid !== pid);
  await client.call('POST /v1/deployments', { body: { service: 'front', version: 'v8' } });
  const after = await until('the next is told', async () => {
    const found = await told().catch(() => []);
    return found.length > 2 ? found : undefined;
  });
  expect(after).toEqual([...both, { service: 'front', what: 'v8' }]);
});

// proves: incidents.slo
test.runIf(isDeep)(
  'requests that miss an objective open an incident until they are well',
  async () => {
    const client = system.workspace.client();
    const slow = [{ name: 'slow', state: 'resolved' as const, service: 'back' }];
    await client.call('POST /v1/webhooks/alerts', { body: { source: 'nagios', alerts: slow } });
    const alert = () => client.call('GET /v1/alerts', {}).then(({ alerts }) => alerts[0]);
    const fail = () => fetch(`http://127.0.0.1:${system.ports.front}/fail`);
    const raised = await until('the alert is raised', async () => {
      await Promise.all([fail(), fail(), fail(), system.ask('front')]);
      const found = await alert();
      return found?.source === 'slo' ? found : undefined;
    });
    expect(raised).toMatchObject({
      alert: 'front-availability',
      service: 'front',
      state: 'firing',
    });
    expect(raised.note).toMatch(
      /^\d+ of \d+ requests in 1 min failed: [\d.]+ times as many as 99 %/,
    );
    const path = { incident: raised.incident ?? '' };
    const read = () => client.call('GET /v1/incidents/{incident}', { path });
    expect(await read()).toMatchObject({ state: 'open', service: 'front' });
    await until('it is well again', async () => {
      await system.ask('front');
      return (await read()).state === 'closed';
    });
    expect((await alert())?.note).toBe('requests keep to the objective again');
  },
);
