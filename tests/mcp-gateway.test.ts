import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedLimits } from '../src/kernel/index.ts';
import { call, connectGateway, type Revision, revisions } from './harness/mcp/gateway-client.ts';
import { effectsOf, fixtureServer, openGateway } from './harness/mcp/gateway-workspace.ts';
import { everythingServer, filesystemServer } from './harness/mcp/packaged-servers.ts';
import { suretyProgram } from './harness/programs.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

const observing = { version: 1, mode: 'observe', agents: { ada: { tools: ['*'] } } };

const modernServer = fileURLToPath(new URL('./harness/mcp/modern-server.ts', import.meta.url));

async function startModern(): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [modernServer], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${line.toString().trim()}/mcp`, child };
}

const answering = {
  capabilities: { elicitation: {} },
  prepare: (client: Client): void =>
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept' as const,
      content: { sure: true },
    })),
};

const sides: [Revision, 'http' | 'stdio'][] = [
  ['legacy', 'http'],
  ['modern', 'http'],
  ['legacy', 'stdio'],
  ['modern', 'stdio'],
];

/** One daemon for all tests of a `describe`. */
function scene(open: () => Promise<Workspace>): () => Workspace {
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = await open();
  });
  afterAll(() => workspace[Symbol.asyncDispose]());
  return () => workspace;
}

describe('an older server behind the gateway', () => {
  const servers = { all: everythingServer() };
  const opened = scene(() => openGateway({ policy: observing, servers }));

  test.each(sides)('serves a %s client over %s', async (revision, over) => {
    const workspace = opened();
    await using client = await connectGateway(workspace, 'ada', revision, { over });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    expect(await call(client, 'echo', { message: 'hello' })).toMatchObject({
      refused: false,
      text: 'Echo: hello',
    });
    const weather = await call(client, 'get-structured-content', { location: 'Chicago' });
    expect(weather.value).toMatchObject({ temperature: expect.any(Number) });

    const { resources } = await client.listResources();
    const [first] = resources;
    const { contents } = await client.readResource({ uri: String(first?.uri) });
    expect(contents).toHaveLength(1);
    expect((await client.listResourceTemplates()).resourceTemplates.length).toBeGreaterThan(0);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain('args-prompt');
    const { messages } = await client.getPrompt({
      name: 'args-prompt',
      arguments: { city: 'Ulm' },
    });
    expect(JSON.stringify(messages)).toContain('Ulm');
    const completed = await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'S' },
    });
    expect(completed.completion.values).toContain('Sales');
    await expect(client.readResource({ uri: 'nobody://has-this' })).rejects.toThrow();
  });
});

describe('the gateway', () => {
  const opened = scene(() => openGateway({ policy: observing }));

  test.each(sides)(
    'forwards a request of the server to a %s client over %s during a call',
    async (revision, over) => {
      const workspace = opened();
      const before = effectsOf(workspace).length;
      await using client = await connectGateway(workspace, 'ada', revision, { over, ...answering });
      const answer = await call(client, 'asks');
      expect(JSON.parse(answer.text)).toEqual({ action: 'accept', content: { sure: true } });
      await using silent = await connectGateway(workspace, 'ada', revision, { over });
      expect((await call(silent, 'asks')).text).toContain('does not take elicitation/create');
      expect(effectsOf(workspace).slice(before)).toEqual(['asks', 'asks']);
    },
  );

  test('has a stdio bridge that reconnects to a restarted daemon', async () => {
    const workspace = opened();
    const connect = (revision: Revision) =>
      connectGateway(workspace, 'ada', revision, { over: 'stdio' });
    await using legacy = await connect('legacy');
    await using modern = await connect('modern');
    const search = (query: string) =>
      Promise.all([legacy, modern].map((client) => call(client, 'search', { query })));
    const found = (query: string) => Array(2).fill(expect.objectContaining({ text: query }));
    expect(await search('one')).toEqual(found('found one'));
    await workspace.run('down');
    for (const client of [legacy, modern]) {
      await expect(call(client, 'search', { query: 'two' })).rejects.toThrow('surety up');
    }
    await workspace.up();
    expect(await search('three')).toEqual(found('found three'));
  });

  test('has a stdio bridge that names an unknown agent', async () => {
    const workspace = opened();
    await expect(connectGateway(workspace, 'nobody', 'legacy', { over: 'stdio' })).rejects.toThrow(
      'No agent "nobody" is known here',
    );
  });

  test('has a stdio bridge that says why it exits when a message is too large', async () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(sharedLimits.requestBytesMax)}"}\n`;
    const { root } = opened();
    const words = [suretyProgram, 'mcp', 'gateway', '--agent', 'ada', '--directory', root];
    const bridge = spawn(process.execPath, words, { stdio: ['pipe', 'ignore', 'pipe'] });
    let said = '';
    bridge.stderr.setEncoding('utf8').on('data', (part) => {
      said += part;
    });
    // It leaves before it has read all of it.
    bridge.stdin.on('error', () => undefined).end(text);
    const [code] = await once(bridge, 'close');
    expect(code).toBe(1);
    expect(said).toContain('Send less in one request.');
  });
});

describe('a newer server behind the gateway', () => {
  let child: ChildProcess;
  const opened = scene(async () => {
    const started = await startModern();
    child = started.child;
    const { url } = started;
    return openGateway({ policy: observing, servers: { new: { url } } });
  });
  afterAll(() => void child.kill('SIGKILL'));

  test.each(revisions)('serves a %s client', async (revision) => {
    const workspace = opened();
    await using client = await connectGateway(workspace, 'ada', revision, answering);
    const told: number[] = [];
    const onprogress = ({ progress }: { progress: number }): void => void told.push(progress);
    expect(
      await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }, { onprogress }),
    ).toMatchObject({ structuredContent: { sum: 5 } });
    expect(told).toEqual([1]);
    expect(JSON.parse((await call(client, 'sure')).text)).toMatchObject({
      content: { sure: true },
    });
    expect((await client.readResource({ uri: 'note://1' })).contents).toMatchObject([
      { text: 'a note' },
    ]);
    const prompt = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } });
    expect(JSON.stringify(prompt)).toContain('Hello Ada');
  });

  test('that is killed during a call leaves the call in doubt and unrepeated', async () => {
    await using client = await connectGateway(opened(), 'ada', 'modern');
    const meta = { 'surety/idempotency-key': 'killed' };
    const begun = once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    const called = call(client, 'slow', {}, meta);
    await begun;
    child.kill('SIGKILL');
    for (const answer of [await called, await call(client, 'slow', {}, meta)]) {
      expect(answer).toMatchObject({ refused: true, value: { code: 'PROPOSAL_UNKNOWN' } });
    }
  });
});

describe('several servers behind the gateway', () => {
  let child: ChildProcess;
  const opened = scene(async () => {
    const started = await startModern();
    child = started.child;
    const { url } = started;
    const servers = { shop: fixtureServer(), new: { url }, again: { url } };
    return openGateway({ policy: observing, servers });
  });
  afterAll(() => void child.kill('SIGKILL'));

  test.each(revisions)('have names that do not collide, for a %s client', async (revision) => {
    const workspace = opened();
    await using client = await connectGateway(workspace, 'ada', revision);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    const [listed = ''] = names.filter((name) => name.startsWith('shop__order_get_'));
    expect(names).toEqual(expect.arrayContaining([listed, 'new__add', 'again__add']));
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    for (const name of ['shop.order.get', listed]) {
      expect(await call(client, name, { id: 'o1' })).toMatchObject({ text: 'order o1' });
    }
    expect(await call(client, 'again.add', { a: 1, b: 1 })).toMatchObject({ text: '2' });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['new.greet', 'again.greet']);
    const prompt = await client.getPrompt({ name: 'again.greet', arguments: { name: 'Ada' } });
    expect(JSON.stringify(prompt)).toContain('Hello Ada');
    expect((await client.listResources()).resources).toHaveLength(2);
    expect((await client.readResource({ uri: 'note://1' })).contents).toHaveLength(1);
  });

  test.each(['new.headers', 'new__headers'])('get a call of %s without a detour', async (name) => {
    await using client = await connectGateway(opened(), 'ada', 'modern');
    const { text } = await call(client, name, {});
    // Only the gateway's own HTTP client says in a header which proposal it executes.
    expect(JSON.parse(text)).toMatchObject({
      'mcp-name': 'headers',
      'surety-proposal': expect.stringMatching(/^prop_/),
    });
  });

  test('continue without one that is unavailable', async () => {
    child.kill('SIGKILL');
    await using client = await connectGateway(opened(), 'ada', 'modern');
    await until('it is away', async () => {
      const { value } = await call(client, 'new__add', { a: 1, b: 1 });
      return value.code === 'UPSTREAM_AWAY';
    });
    expect(await call(client, 'shop.search', { query: 'x' })).toMatchObject({ text: 'found x' });
  });
});

describe('a directory behind the gateway', () => {
  const file = { type: 'object', required: ['path'], properties: { path: { type: 'string' } } };
  const reading = {
    effect: 'read',
    arguments: file,
    resources: ['arguments.path'],
  };

  test('is read only within the allowed path: links, dots and other paths are denied', async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'surety-outside-')));
    writeFileSync(join(outside, 'secret'), 'secret');
    const allowed = realpathSync(mkdtempSync(join(tmpdir(), 'surety-files-')));
    writeFileSync(join(allowed, 'note'), 'a note');
    mkdirSync(join(allowed, 'deep'));
    symlinkSync(join(outside, 'secret'), join(allowed, 'link'));
    const policy = {
      version: 1,
      tools: { read_text_file: reading },
      agents: { ada: { tools: ['read_text_file'], resources: [`${allowed}/*`] } },
    };
    const files = filesystemServer(allowed);
    await using workspace = await openGateway({ policy, servers: { files } });
    await using client = await connectGateway(workspace, 'ada', 'modern');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['read_text_file']);
    const read = (path: string) => call(client, 'read_text_file', { path });
    expect(await read(join(allowed, 'note'))).toMatchObject({ refused: false, text: 'a note' });
    expect(await read(`${allowed}/deep/../../${outside.split('/').at(-1)}/secret`)).toMatchObject({
      value: { code: 'PROPOSAL_DENIED', rule: 'resources.path' },
    });
    expect(await read(join(outside, 'secret'))).toMatchObject({
      value: { code: 'PROPOSAL_DENIED', rule: 'resources.agent' },
    });
    const link = await read(join(allowed, 'link'));
    expect(link.refused).toBe(true);
    expect(link.text).not.toBe('secret');
    expect(await call(client, 'write_file', { path: `${allowed}/x`, content: 'x' })).toMatchObject({
      value: { code: 'PROPOSAL_DENIED' },
    });
  });
});
