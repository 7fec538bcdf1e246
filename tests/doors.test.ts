import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../src/lanes/free-port.ts';
import { commit, git } from './harness/small-system.ts';
import { Workspace } from './harness/workspace.ts';

/** Hands on baggage by itself, as an OpenTelemetry SDK does in any language. */
const caller = `import { createServer, request } from 'node:http';
createServer((incoming, response) => {
  const { baggage = '' } = incoming.headers;
  const headers = baggage === '' ? {} : { baggage };
  request(process.env.PRICING_URL, { headers }, (answer) => answer.pipe(response)).end();
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
const callee = `import { createServer } from 'node:http';
createServer((_, response) => response.end('one'))
  .listen(Number(process.env.PORT), '127.0.0.1');
`;

describe('a program without our preload', () => {
  const workspace = new Workspace();
  const ports = { report: 0, pricing: 0, front: 0 };

  beforeAll(async () => {
    const { root, place } = workspace;
    for (const name of ['report', 'pricing', 'front'] as const) ports[name] = await freePort();
    writeFileSync(join(root, 'report.mjs'), caller);
    writeFileSync(join(root, 'pricing.mjs'), callee);
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

  const ask = async (port: number, headers = {}): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}/`, { headers })).text();

  // proves: lanes.unmodified
  test('reaches lanes by doors in place of the addresses it was given', async () => {
    expect(await ask(ports.report)).toBe('one');
    expect(await ask(ports.front)).toBe('one');
    const file = join(workspace.root, 'pricing.mjs');
    writeFileSync(file, readFileSync(file, 'utf8').replace("'one'", "'two'"));
    const patch = git(workspace.root, 'diff');
    git(workspace.root, 'checkout', '--quiet', '--', 'pricing.mjs');
    const { lane } = await workspace.client().call('POST /v1/lanes', { body: { patch } });
    const keyed = { baggage: `surety-lane=${lane.lane}` };
    expect(await ask(ports.front, keyed)).toBe('two');
    expect(await ask(ports.front)).toBe('one');
    expect(await ask(ports.report)).toBe('one');
    await workspace.run('lane', 'close', lane.lane);
    const dead = await fetch(`http://127.0.0.1:${ports.front}/`, { headers: keyed });
    expect(dead.status).toBe(503);
  });
});

function configuration(ports: Readonly<Record<string, number>>): string {
  return `ingress: { service: report, port: ${ports.front} }
services:
  pricing: { command: node pricing.mjs, port: ${ports.pricing}, paths: [pricing.mjs] }
  report:
    command: node report.mjs
    port: ${ports.report}
    tagging: baggage
    environment: { PRICING_URL: "http://localhost:${ports.pricing}/" }
    paths: [report.mjs]
    dependsOn: [pricing]
`;
}
