import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { freePort } from './harness/free-ports.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

/** Hands on baggage by itself, as an OpenTelemetry SDK does in any language. */
const caller = `import { createServer, request } from 'node:http';
createServer((incoming, response) => {
  const { baggage = '', authorization = '' } = incoming.headers;
  const headers = { ...(baggage === '' ? {} : { baggage }), authorization };
  request(process.env.PRICING_URL + incoming.url.slice(1), { headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  }).end();
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
const callee = `import { createServer } from 'node:http';
const known = ['Bearer person-4f1c9a7be2', 'Bearer replay-77d0c3b1a5'];
createServer(({ url, headers }, response) => {
  if (!url.startsWith('/rates')) return response.end('one');
  if (!known.includes(headers.authorization)) response.statusCode = 401;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ rates: [{ id: 'rate-' + Math.random(), amount: 5 }] }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

describe("a program without Surety's preload", () => {
  const workspace = new Workspace();
  const ports = { report: 0, pricing: 0, rates: 0, front: 0 };

  beforeAll(async () => {
    const { root, place } = workspace;
    for (const name of ['report', 'pricing', 'rates', 'front'] as const)
      ports[name] = await freePort();
    writeFileSync(join(root, 'report.mjs'), caller);
    writeFileSync(join(root, 'pricing.mjs'), callee);
    writeFileSync(join(root, 'rates.mjs'), callee);
    writeFileSync(join(root, '.gitignore'), '.surety/\nreplay-token\n');
    writeFileSync(join(root, 'replay-token'), 'Bearer replay-77d0c3b1a5\n');
    writeFileSync(place.configFile, configuration(ports));
    git(root, 'init', '--quiet', '--initial-branch=main');
    commit(root, 'first');
    await workspace.up();
    await workspace.run('system', 'up');
  });
  afterAll(async () => {
    await workspace[Symbol.asyncDispose]();
  });

  const ask = async (port: number, headers = {}): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}/`, { headers })).text();

  // proves: lanes.unmodified
  test('reaches lanes by doors that replace its configured addresses', async () => {
    expect(await ask(ports.report)).toBe('one');
    expect(await ask(ports.front)).toBe('one');
    const patch = patchOf("'one'", "'two'");
    const { lane } = await workspace.client().call('POST /v1/lanes', { body: { patch } });
    const keyed = { baggage: `surety-lane=${lane.lane}` };
    expect(await ask(ports.front, keyed)).toBe('two');
    expect(await ask(ports.front)).toBe('one');
    expect(await ask(ports.report)).toBe('one');
    await workspace.run('lane', 'close', lane.lane);
    const dead = await fetch(`http://127.0.0.1:${ports.front}/`, { headers: keyed });
    expect(dead.status).toBe(503);
  });

  // proves: verify.recorded
  test('has its traffic recorded without credentials, and replayed in verification', async () => {
    const headers = { authorization: 'Bearer person-4f1c9a7be2', 'x-tenant': 'acme' };
    const path = '/rates?since=1&api_key=hunter2hunter2';
    expect(await ask(ports.front, {})).toBe('one');
    for (const asked of ['/rates?since=1', path, '/rates?of=person-4f1c9a7be2']) {
      const url = `http://127.0.0.1:${ports.front}${asked}`;
      expect((await fetch(url, { headers })).status).toBe(200);
    }
    const listed = (await workspace.run('traffic', 'list')) as unknown as Listed;
    expect(listed.recording).toBe(true);
    const requests = listed.scenarios.flatMap(({ requests: asked }) => asked);
    expect(requests).toContainEqual({ method: 'GET', path: '/rates?since=1', status: 200 });
    const kept = readFileSync(workspace.place.trafficFile);
    expect(kept.includes('/rates')).toBe(true);
    for (const secret of ['4f1c9a7be2', 'hunter2', 'acme', 'surety-lane']) {
      expect(kept.includes(secret)).toBe(false);
    }

    const body = { patch: patchOf('amount: 5', "amount: '5'") };
    const verdict = await workspace.client().call('POST /v1/verdicts', { body });
    expect(verdict).toMatchObject({ verdict: 'fail', services: ['pricing'] });
    // No suite asks for rates.
    expect(verdict.findings[0]).toMatchObject({ kind: 'wire', service: 'pricing' });
    expect(JSON.stringify(verdict.findings[0])).toContain('rates[].amount');
    expect(verdict.notices.join('\n')).toContain('the secret in api_key was not stored');

    await workspace.run('traffic', 'record', '--stop');
    await ask(ports.front);
    await workspace.run('traffic', 'clear');
    const left = await workspace.run('traffic', 'list');
    expect(left).toEqual({ recording: false, scenarios: [] });
  });

  test.runIf(isDeep)('is verified with hand-written requests as well', async () => {
    const headers = { authorization: 'Bearer replay-77d0c3b1a5' };
    const traffic = [{ method: 'GET', path: '/rates?of=mine', headers }];
    const body = { patch: patchOf('amount: 5', 'amount: [5]'), traffic };
    const verdict = await workspace.client().call('POST /v1/verdicts', { body });
    expect(verdict).toMatchObject({ verdict: 'fail', services: ['pricing'] });
    expect(JSON.stringify(verdict.findings[0])).toContain('rates[].amount');
  });

  test('gets a door for an address that was edited, when it is restarted', async () => {
    const { configFile } = workspace.place;
    const edited = readFileSync(configFile, 'utf8').replace(
      `:${ports.pricing}/`,
      `:${ports.rates}/`,
    );
    writeFileSync(configFile, edited.replace('MORE: none', 'RATES_SERVER: rates'));
    await workspace.run('system', 'restart', 'report');
    const patch = patchOf("'one'", "'two'", 'rates.mjs');
    const { lane } = await workspace.client().call('POST /v1/lanes', { body: { patch } });
    const keyed = { baggage: `surety-lane=${lane.lane}` };
    expect(await ask(ports.front, keyed)).toBe('two');
    await workspace.run('lane', 'close', lane.lane);
    const { checks } = (await workspace.surety('doctor')).value as unknown as Doctor;
    expect(checks.find(({ name }) => name === 'languages')).toMatchObject({
      level: 'note',
      detail: expect.stringContaining('in report'),
      remedy: expect.stringContaining('docs/languages.md'),
    });
    const addresses = checks.find(({ name }) => name === 'addresses');
    expect(addresses).toMatchObject({
      level: 'warn',
      detail: expect.stringContaining('RATES_SERVER'),
    });
  });

  function patchOf(before: string, after: string, name = 'pricing.mjs'): string {
    const file = join(workspace.root, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
    const patch = git(workspace.root, 'diff', '--', name);
    git(workspace.root, 'checkout', '--quiet', '--', name);
    return patch;
  }
});

interface Doctor {
  readonly checks: readonly { readonly name: string }[];
}

interface Listed {
  readonly recording: boolean;
  readonly scenarios: readonly { readonly requests: readonly object[] }[];
}

function configuration(ports: Readonly<Record<string, number>>): string {
  return `ingress: { service: report, port: ${ports.front} }
traffic:
  record: { headers: [x-tenants-only] }
  credentials: { authorization: file:replay-token }
suites:
  front:
    command: >-
      node -e 'fetch(process.env.BASE_URL, { headers: JSON.parse(process.env.HEADERS) })
      .then((answer) => console.log(JSON.stringify({ check: "answers", passed: answer.ok })))'
services:
  pricing: { command: KIND=fixed node pricing.mjs, port: ${ports.pricing}, paths: [pricing.mjs] }
  rates: { command: node rates.mjs, port: ${ports.rates}, paths: [rates.mjs] }
  report:
    command: node report.mjs
    port: ${ports.report}
    tagging: baggage
    environment: { PRICING_URL: "http://localhost:${ports.pricing}/", MORE: none }
    paths: [report.mjs]
    dependsOn: [pricing]
`;
}
