import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, connectGateway, revisions } from './harness/mcp/gateway-client.ts';
import { effectsOf, fixtureServer, openGateway } from './harness/mcp/gateway-workspace.ts';
import { everythingServer } from './harness/mcp/packaged-servers.ts';
import { until } from './harness/until.ts';
import type { Workspace } from './harness/workspace.ts';

const none = { type: 'object', properties: {} };
const slow = {
  type: 'object',
  required: ['ms'],
  properties: { ms: { type: 'integer', minimum: 0, maximum: 60_000 } },
};

const policy = {
  version: 1,
  mode: 'observe',
  tools: {
    'shop.slow': { effect: 'mutating', arguments: slow, governance: { timeout: '40s' } },
    'shop.never': { effect: 'read', arguments: none, governance: { timeout: '4s' } },
    'shop.wrong-id': {
      effect: 'mutating',
      arguments: none,
      governance: { key: '"flight"', timeout: '300ms' },
      recovery: { steps: [{ reconcile: { read: 'shop.never', with: {}, committed: 'true' } }] },
    },
  },
  agents: { ada: { tools: ['*'] }, eve: { tools: ['*'] } },
};

const pagedServer = fileURLToPath(new URL('./harness/mcp/paged-server.ts', import.meta.url));
const servers = {
  all: everythingServer(),
  shop: fixtureServer(),
  paged: { command: [process.execPath, pagedServer] },
};

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openGateway({ policy, servers });
});
afterAll(() => workspace[Symbol.asyncDispose]());

const count = (line: string): number => effectsOf(workspace).filter((one) => one === line).length;

const capable = {
  capabilities: { sampling: {}, roots: {}, elicitation: {} },
  prepare: (client: Client): void => {
    client.setRequestHandler('sampling/createMessage', async ({ params }) => ({
      model: 'test',
      role: 'assistant' as const,
      content: { type: 'text' as const, text: `sampled ${params.maxTokens}` },
    }));
    client.setRequestHandler('roots/list', async () => ({
      roots: [{ uri: 'file:///srv/notes', name: 'notes' }],
    }));
  },
};

describe.each(revisions)('a real older server, for a %s client', (revision) => {
  test('samples with the model of the client', async () => {
    const client = await connectGateway(workspace, 'ada', revision, capable);
    const given = { prompt: 'Say something', maxTokens: 17 };
    const { text } = await call(client, 'all.trigger-sampling-request', given);
    expect(text).toContain('sampled 17');
  });

  test('receives the roots of the client', async () => {
    const client = await connectGateway(workspace, 'ada', revision, capable);
    expect((await call(client, 'all.get-roots-list')).text).toContain('file:///srv/notes');
  });

  test('reports each step of its progress in order before its answer', async () => {
    const told: unknown[] = [];
    const client = await connectGateway(workspace, 'ada', revision, {
      // Instead of the SDK's own handler, which forgets who asked once the answer is there.
      prepare: (one) =>
        one.setNotificationHandler('notifications/progress', ({ params }) => {
          told.push([params.progress, params.total]);
        }),
    });
    const answer = await client.callTool(
      { name: 'all.trigger-long-running-operation', arguments: { duration: 0.2, steps: 5 } },
      { onprogress: () => undefined },
    );
    expect(JSON.stringify(answer)).toContain('completed');
    expect(told).toEqual([1, 2, 3, 4, 5].map((step) => [step, 5]));
  });

  test('lists its items in pages, and the client reaches every page', async () => {
    const client = await connectGateway(workspace, 'ada', revision);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('paged__'))).toHaveLength(5);
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith('page://'))).toHaveLength(5);
    const { prompts } = await client.listPrompts();
    expect(prompts.filter(({ name }) => name.startsWith('paged.'))).toHaveLength(5);
    await expect(client.listResources({ cursor: 'made up' })).rejects.toThrow('Invalid cursor');
  });
});

describe('messages of a real older server', () => {
  const watched = 'demo://resource/static/document/features.md';

  test('reach a legacy client by its log level and its subscriptions', async () => {
    const told: string[] = [];
    const client = await connectGateway(workspace, 'ada', 'legacy', {
      prepare: (one) => {
        one.setNotificationHandler('notifications/message', ({ params }) => {
          told.push(`message ${params.level}`);
        });
        one.setNotificationHandler('notifications/resources/updated', ({ params }) => {
          told.push(params.uri);
        });
      },
    });
    await client.setLoggingLevel('debug');
    await call(client, 'all.toggle-simulated-logging');
    await until('a message came', () => told.some((line) => line.startsWith('message')));
    await call(client, 'all.toggle-simulated-logging');
    await client.subscribeResource({ uri: watched });
    await call(client, 'all.toggle-subscriber-updates');
    await until('an update came', () => told.includes(watched));
    await call(client, 'all.toggle-subscriber-updates');
    await client.unsubscribeResource({ uri: watched });
  });

  test('reach a modern client on the stream that it listens to', async () => {
    const told: string[] = [];
    const client = await connectGateway(workspace, 'ada', 'modern', {
      prepare: (one) =>
        one.setNotificationHandler('notifications/resources/updated', ({ params }) => {
          told.push(params.uri);
        }),
    });
    const subscription = await client.listen({ resourceSubscriptions: [watched] });
    await call(client, 'all.toggle-subscriber-updates');
    await until('an update came', () => told.includes(watched));
    await call(client, 'all.toggle-subscriber-updates');
    await subscription.close();
  });
});

describe('a call', () => {
  const keyed = (key: string) => ({ _meta: { 'surety/idempotency-key': key } });

  async function cancel(tool: string, given: object, begun: string, key: string): Promise<void> {
    const client = await connectGateway(workspace, 'ada', 'legacy');
    const [begins, ends] = [count(begun), count('cancelled')];
    const leaving = new AbortController();
    const called = client.callTool(
      { name: tool, arguments: { ...given }, ...keyed(key) },
      { signal: leaving.signal },
    );
    called.catch(() => undefined);
    await until('it has begun', () => count(begun) > begins);
    leaving.abort('enough');
    await expect(called).rejects.toThrow();
    await until('the server was told', () => count('cancelled') > ends);
  }

  test('that is cancelled is also cancelled at its server', async () => {
    await cancel('shop.never', {}, 'never', 'cancelled-read');
  });

  test('with an effect is in doubt after it is cancelled, is recorded and is not repeated', async () => {
    const before = count('slow begins');
    await cancel('shop.slow', { ms: 20_000 }, 'slow begins', 'cancelled-effect');
    const client = await connectGateway(workspace, 'ada', 'modern');
    const meta = { 'surety/idempotency-key': 'cancelled-effect' };
    await until('it is settled', async () => {
      const { value } = await call(client, 'shop.slow', { ms: 20_000 }, meta);
      return value.code === 'PROPOSAL_UNKNOWN';
    });
    expect(count('slow begins')).toBe(before + 1);
  });

  test('that is not settled within its time is reported as in flight', async () => {
    const client = await connectGateway(workspace, 'ada', 'modern');
    const reads = count('never');
    const first = call(client, 'shop.wrong-id');
    await until('its recovery reads', () => count('never') > reads);
    expect(await call(client, 'shop.wrong-id')).toMatchObject({
      refused: true,
      value: { code: 'PROPOSAL_IN_FLIGHT', state: 'in_flight', retryable: true },
    });
    expect(await first).toMatchObject({ value: { code: 'PROPOSAL_UNKNOWN' } });
    expect(count('wrong-id')).toBe(1);
  });

  test('whose server asks while another call is in progress there reaches nobody', async () => {
    const ada = await connectGateway(workspace, 'ada', 'legacy');
    const before = count('slow begins');
    const leaving = new AbortController();
    const busy = ada.callTool(
      { name: 'shop.slow', arguments: { ms: 30_000 } },
      { signal: leaving.signal },
    );
    busy.catch(() => undefined);
    await until('ada is there', () => count('slow begins') > before);
    for (const revision of revisions) {
      const eve = await connectGateway(workspace, 'eve', revision, capable);
      const { text } = await call(eve, 'shop.asks');
      expect(text).toContain('calls are under way at this server');
    }
    leaving.abort();
    await expect(busy).rejects.toThrow();
  });
});
