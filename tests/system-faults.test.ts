import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultReport } from '../src/kernel/index.ts';
import { freePort } from './harness/free-ports.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

/** Answers what it is told to, on the port it is told. */
const code = `import { createServer } from 'node:http';
createServer((_, response) => { response.statusCode = 503; response.end('candidate'); })
  .listen(Number(process.env.PORT), '127.0.0.1');
`;

describe('a service that cannot start', () => {
  let workspace: Workspace;
  const staging = createServer((_, response) => response.end('staging'));

  beforeAll(async () => {
    await new Promise<void>((resolve) => staging.listen(0, '127.0.0.1', resolve));
    const { port } = staging.address() as AddressInfo;
    workspace = new Workspace({ config: await configuration(port) });
    writeFileSync(join(workspace.root, 'service.mjs'), code);
    writeFileSync(join(workspace.root, 'outside.mjs'), code);
    writeFileSync(join(workspace.root, '.gitignore'), '.surety/\n');
    git(workspace.root, 'init', '--quiet', '--initial-branch=main');
    commit(workspace.root, 'first');
    await workspace.up();
    // The router comes with the first start, and stays.
    await workspace.surety('system', 'restart', 'short');
  });
  afterAll(async () => {
    await new Promise((resolve) => staging.close(resolve));
    await workspace[Symbol.asyncDispose]();
  });

  test.each<[string, string, string, string]>([
    [
      'has a missing program',
      'nowhere',
      'SERVICE_UNHEALTHY',
      'its command was not found (code 127)',
    ],
    ['never becomes healthy', 'silent', 'SERVICE_UNHEALTHY', '/healthz on port'],
    ['cannot be built', 'unbuilt', 'STEP_FAILED', 'no such module: left-pad'],
    ['cannot be installed', 'uninstalled', 'STEP_FAILED', 'The install of uninstalled failed'],
    ['lacks a secret', 'secretive', 'SECRET_MISSING', 'there is no such file'],
    ['ends at once', 'short', 'SERVICE_UNHEALTHY', 'it ended with code 4.\n  no luck'],
    ['is unknown', 'nameless', 'SERVICE_UNKNOWN', 'nameless'],
  ])(
    'because it %s is reported with the reason, and leaves no process behind',
    async (_, service, fault, words) => {
      const before = workspace.processes().length;
      const { value } = await workspace.surety('system', 'restart', service);
      const report = value.fault as FaultReport;
      expect(report.code).toBe(fault);
      expect(report.message).toContain(words);
      expect(workspace.processes().length).toBe(before);
    },
  );

  test('is reported before any service is started, if the fault is known in advance', async () => {
    const { value } = await workspace.surety('system', 'up');
    expect(value.fault?.code).toBe('SECRET_MISSING');
    const { entries } = await workspace.client().call('GET /v1/entries', { query: {} });
    expect(entries.filter(({ kind }) => kind === 'service-started')).toEqual([]);
  });

  test('on this machine because it runs elsewhere can still have lanes', async () => {
    const file = join(workspace.root, 'outside.mjs');
    writeFileSync(file, code.replace('503', '200'));
    const patch = git(workspace.root, 'diff');
    git(workspace.root, 'checkout', '--quiet', '--', 'outside.mjs');
    const { lane, address } = await workspace.client().call('POST /v1/lanes', { body: { patch } });
    const headers = { baggage: `surety-lane=${lane.lane}` };
    expect(await (await fetch(address, { headers })).text()).toBe('candidate');
    await workspace.run('lane', 'close', lane.lane);
  });
});

async function configuration(staging: number): Promise<string> {
  const service = async (more: string): Promise<string> => `{ port: ${await freePort()}, ${more} }`;
  const command = 'command: node service.mjs';
  return `ingress: outside
services:
  outside: { address: "127.0.0.1:${staging}", health: /, lane: { command: node outside.mjs } }
  nowhere: ${await service('command: /no/such/program')}
  silent: ${await service(`${command}, health: /healthz, startSeconds: 2`)}
  unbuilt: ${await service(`${command}, build: "echo no such module: left-pad; exit 1"`)}
  uninstalled: ${await service(`${command}, install: "exit 9"`)}
  secretive: ${await service(`${command}, secrets: { KEY: "file:nowhere" }`)}
  short: ${await service('command: sh -c "echo no luck; exit 4"')}
`;
}
