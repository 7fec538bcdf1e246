import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from './harness/deep.ts';
import { agentToken, gatewayUrl } from './harness/mcp/gateway-client.ts';
import { openGateway } from './harness/mcp/gateway-workspace.ts';
import { inspect } from './harness/mcp/inspector.ts';
import { everythingServer, filesystemServer } from './harness/mcp/packaged-servers.ts';
import { suretyProgram } from './harness/programs.ts';
import type { Workspace } from './harness/workspace.ts';
import { workspaceVariable } from './harness/workspace-processes.ts';

const text = { type: 'string', maxLength: 1_000 };
const having = (name: string): object => ({
  type: 'object',
  required: [name],
  properties: { [name]: text },
});

const base = realpathSync(mkdtempSync(join(tmpdir(), 'surety-inspected-')));
const allowed = join(base, 'allowed');

const policy = {
  version: 1,
  tools: {
    'all.echo': { effect: 'read', arguments: having('message') },
    'files.read_text_file': {
      effect: 'read',
      arguments: having('path'),
      resources: ['arguments.path'],
    },
  },
  agents: { ada: { tools: ['all.echo', 'files.read_text_file'], resources: [`${allowed}/*`] } },
};

let workspace: Workspace;
beforeAll(async () => {
  mkdirSync(allowed);
  writeFileSync(join(base, 'secret'), 'a secret');
  const servers = { all: everythingServer(), files: filesystemServer(allowed) };
  workspace = await openGateway({ policy, servers });
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  rmSync(base, { recursive: true, force: true });
});

const overHttp = (): string[] => [
  gatewayUrl(workspace),
  '--transport',
  'http',
  '--header',
  `Authorization: Bearer ${agentToken(workspace, 'ada')}`,
];
const overStdio = (): string[] => {
  const bridge = ['mcp', 'gateway', '--agent', 'ada', '--directory', workspace.root];
  return [process.execPath, suretyProgram, ...bridge];
};

/** Its own would be over on a machine that has much else to do. */
const patience = ['--connect-timeout', '180000'];

const everyPair: readonly (readonly ['legacy' | 'modern', 'http' | 'stdio'])[] = [
  ['modern', 'http'],
  ['legacy', 'stdio'],
  ['legacy', 'http'],
  ['modern', 'stdio'],
];
/** Other clients try the legacy protocol and stdio in each run of the tests. */
const pairs = everyPair.slice(0, runs(1, everyPair.length));

describe('the official inspector', () => {
  test.concurrent.each(pairs)(
    'with its %s protocol lists and calls real servers over %s, within contracts',
    async (era, over) => {
      const target = over === 'http' ? overHttp() : overStdio();
      const ask = (...words: string[]) =>
        inspect([...target, ...patience, '--protocol-era', era, '--method', ...words], {
          [workspaceVariable]: workspace.root,
        });
      const use = (tool: string, argument: string) =>
        ask('tools/call', '--tool-name', tool, '--tool-arg', argument);
      const { tools } = (await ask('tools/list')) as { tools: { name: string }[] };
      expect(tools.map(({ name }) => name)).toEqual(['all__echo', 'files__read_text_file']);
      const [echoed, dots] = await Promise.all([
        use('all__echo', 'message=hello'),
        use('files__read_text_file', `path=${allowed}/../secret`),
      ]);
      expect(echoed).toMatchObject({ content: [{ text: 'Echo: hello' }] });
      // The tool has an output schema, which many clients hold even a denial against.
      expect(dots).toMatchObject({
        isError: true,
        _meta: { 'surety/denial': { code: 'PROPOSAL_DENIED', rule: 'resources.path' } },
      });
    },
  );
});
