import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { freePorts } from './harness/free-ports.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

/** Remembers rates, asks for some of them from a timer, and for others by way of `plain`. */
const front = `import { createServer } from 'node:http';
const ask = async (url) => (await fetch(url)).json();
const known = new Map();
const waiting = [];
setInterval(() => {
  for (const { path, resolve } of waiting.splice(0)) resolve(ask(process.env.RATES_URL + path));
}, 5);
const ways = {
  '/remembered': (path) => {
    if (!known.has(path)) known.set(path, ask(process.env.RATES_URL + path));
    return known.get(path);
  },
  '/queued': (path) => new Promise((resolve) => waiting.push({ path, resolve })),
  '/described': (path) => ask(process.env.PLAIN_URL + path),
  '/plain': (path) => ask(process.env.PLAIN_URL + path),
};
createServer(async ({ url }, response) => {
  const { pathname, search } = new URL(url, 'http://front');
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(await ways[pathname]?.('/rate' + search) ?? {}));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
/** Passes nothing of its request on. */
const plain = `import { createServer, get } from 'node:http';
createServer(({ url }, response) => {
  get(process.env.RATES_URL + url, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
const rates = `import { createServer } from 'node:http';
createServer(({ url }, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ rate: 100 }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
const openApi = `openapi: 3.1.0
paths:
  /described: { get: { parameters: [{ name: of, in: query, schema: { default: a } }] } }
  /unknown/{id}: { get: { parameters: [{ name: id, in: path, required: true }] } }
`;
const names = ['front', 'plain', 'rates'] as const;

// proves: lanes.callers
describe.runIf(isDeep)('a change behind callers that lose the key', () => {
  const workspace = new Workspace();
  let ports: Record<(typeof names)[number], number>;

  beforeAll(async () => {
    const { root, place } = workspace;
    ports = await freePorts(names);
    for (const [name, code] of Object.entries({ front, plain, rates })) {
      writeFileSync(join(root, `${name}.mjs`), code);
    }
    writeFileSync(join(root, 'openapi.yaml'), openApi);
    writeFileSync(join(root, '.gitignore'), '.surety/\n');
    writeFileSync(place.configFile, configuration(ports));
    git(root, 'init', '--quiet', '--initial-branch=main');
    commit(root, 'first');
    await workspace.up();
    await workspace.run('system', 'up');
  });
  afterAll(async () => {
    await workspace[Symbol.asyncDispose]();
  });

  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${ports.front}${path}`)).json();

  test('fails, by a copy of the caller that has remembered the old answer', async () => {
    expect(await ask('/remembered?of=warm')).toEqual({ rate: 100 });
    const body = { patch: patchOf('rate: 100', 'rate: 1100') };
    const verdict = await workspace.client().call('POST /v1/verdicts', { body });
    expect(verdict).toMatchObject({ verdict: 'fail', services: ['rates'] });
    expect(verdict.callers?.map(({ service }) => service)).toEqual(['plain', 'front']);
    // No suite asks by way of `plain`: the check before the first verdict did, by OpenAPI.
    expect(verdict.callers?.[0]?.why).toMatch(/^it called rates \(GET \/rate.*without the key$/);
    expect(verdict.notices.join('\n')).toMatch(/front ran as a copy .* without it or not at all/);
  });

  // proves: lanes.check
  test('is announced by a check, with the service that loses the key and the fix', async () => {
    const { code, value } = await workspace.surety('lane', 'check');
    expect([code, value]).toMatchObject([
      1,
      {
        routes: ['GET /described', 'GET /remembered'],
        unsent: ['GET /unknown/{id} (it needs id, and OpenAPI gives no example)'],
        copies: ['plain'],
        losses: [
          {
            service: 'plain',
            to: 'rates',
            key: 'lost',
            cause: 'plain called rates (GET /rate) without the key',
            language: 'node',
            fix: expect.stringContaining('tagging: preload'),
          },
        ],
        unchecked: [],
      },
    ]);
  });

  test('gets all that its copies call, and leaves no answer in a shared cache', async () => {
    const body = { patch: patchOf('rate: 100', 'rate: 1100') };
    const { lane, address } = await workspace.client().call('POST /v1/lanes', { body });
    const headers = { baggage: `surety-lane=${lane.lane}` };
    const through = async (path: string): Promise<unknown> =>
      (await fetch(address + path, { headers })).json();
    for (const path of ['/queued?of=a', '/plain?of=a', '/remembered?of=cold']) {
      expect([path, await through(path)]).toEqual([path, { rate: 1100 }]);
      expect([path, await ask(path)]).toEqual([path, { rate: 100 }]);
    }
    const input = { path: { lane: lane.lane }, query: {} };
    const { reach, losses } = await workspace.client().call('GET /v1/lanes/{lane}/reach', input);
    expect([reach.proven, reach.reason, losses]).toEqual([true, null, []]);
    // The last answer comes from the copy's own cache: this very request came to no candidate.
    for (const [asked, proven] of [
      ['/queued?of=b', true],
      ['/remembered?of=cold', false],
    ] as const) {
      const answer = await workspace.run('lane', 'curl', lane.lane, asked);
      expect([asked, answer]).toMatchObject([asked, { status: 200, reach: { proven } }]);
    }
    await workspace.run('lane', 'close', lane.lane);
  });

  function patchOf(before: string, after: string): string {
    const file = join(workspace.root, 'rates.mjs');
    writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
    const patch = git(workspace.root, 'diff');
    git(workspace.root, 'checkout', '--quiet', '--', 'rates.mjs');
    return patch;
  }
});

function configuration(ports: Readonly<Record<(typeof names)[number], number>>): string {
  const url = `RATES_URL: "http://127.0.0.1:${ports.rates}"`;
  return `ingress: front
suites:
  warm:
    command: >-
      node -e 'fetch(process.env.BASE_URL + "/remembered?of=warm", { headers: JSON.parse(process.env.HEADERS) })
      .then((answer) => console.log(JSON.stringify({ check: "answers", passed: answer.ok })))'
services:
  rates: { command: node rates.mjs, port: ${ports.rates}, paths: [rates.mjs] }
  plain:
    command: node plain.mjs
    port: ${ports.plain}
    tagging: none
    environment: { ${url} }
    paths: [plain.mjs]
    dependsOn: [rates]
  front:
    command: node front.mjs
    port: ${ports.front}
    environment: { ${url}, PLAIN_URL: "http://127.0.0.1:${ports.plain}" }
    paths: [front.mjs]
    dependsOn: [rates, plain]
`;
}
