import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../kernel/index.ts';
import { mcpLimits } from '../limits.ts';
import type { CallDeps } from './calls/call-tool.ts';
import type { ClientRequest, Memory } from './clients/asked.ts';
import { hearResources, subscribe } from './forward.ts';
import type { GatewayPorts } from './ports.ts';
import type { Traffic } from './upstream/traffic.ts';
import type { Upstream } from './upstream/upstream.ts';
import { boundedFetch } from './upstream/upstream-transport.ts';
import { Upstreams } from './upstream/upstreams.ts';

const nobody = {
  onListChanged: () => undefined,
  onResourceUpdated: () => undefined,
  onMessage: () => undefined,
};
const ports = { log: () => undefined, sees: () => true } as unknown as GatewayPorts;

interface Listening {
  readonly resourceSubscriptions: readonly string[];
}

const able = { resources: { subscribe: true } };
const fakeUpstream = (session: object) => ({
  isUp: true,
  tools: new Map(),
  capabilities: able,
  olderCapabilities: able,
  isShared: () => true,
  sessionFor: async () => session,
});

describe('bounds of the gateway', () => {
  test.each([
    [mcpLimits.upstreamMessageBytesMax, true],
    [mcpLimits.upstreamMessageBytesMax + 1, false],
  ])('limits.upstreamMessageBytesMax: an answer of %i bytes is read: %s', async (bytes, isRead) => {
    const server = createServer((_, response) => response.end(Buffer.alloc(bytes, 'x')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const text = boundedFetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
    if (isRead) expect(await text).toHaveLength(bytes);
    else await expect(text).rejects.toMatchObject({ code: 'TOOL_IN_DOUBT' });
    server.close();
  });

  test.each<[number, string, boolean]>([
    [mcpLimits.upstreamMessageBytesMax, '', true],
    [mcpLimits.upstreamMessageBytesMax + 1, '', false],
    // Longer than that altogether, in events that end.
    [mcpLimits.upstreamMessageBytesMax - 9, '\n\ndata: x\n\n', true],
  ])(
    'limits.upstreamMessageBytesMax: an event of %i bytes in a stream, then %j: %s',
    async (bytes, more, isRead) => {
      const server = createServer((_, response) => {
        response.setHeader('content-type', 'text/event-stream');
        response.write(Buffer.alloc(bytes, 'x'));
        response.end(more);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const text = boundedFetch(`http://127.0.0.1:${port}/`).then((response) => response.text());
      if (isRead) expect(await text).toHaveLength(bytes + more.length);
      else await expect(text).rejects.toMatchObject({ code: 'TOOL_IN_DOUBT' });
      server.close();
    },
  );

  test.each(['application/json', 'text/event-stream'])(
    'limits.upstreamDepthMax: an answer nested deeper, as %s, is replaced by one that says so',
    async (type) => {
      const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
      const deep = `{"jsonrpc":"2.0","id":7,"result":{"content":${nested}}}`;
      const server = createServer((_, response) => {
        response.setHeader('content-type', type);
        response.end(type === 'application/json' ? deep : `id: 1\ndata: ${deep}\n\n`);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const onText = () => undefined;
      const response = await boundedFetch(`http://127.0.0.1:${port}/`, {}, { onText });
      const text = await response.text();
      expect(text).toContain('"id":7');
      expect(text).toContain('nested deeper than 512 levels');
      server.close();
    },
  );

  test.each(['application/json', 'text/event-stream'])(
    'limits.upstreamHeldBytesMax: an answer as %s that nobody reads to its end is not held',
    async (type) => {
      const server = createServer((_, response) => {
        response.setHeader('content-type', type);
        response.write('data: {}\n\nunfinished');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const held: number[] = [];
      const traffic = { holder: () => (bytes: number) => void held.push(bytes) };
      const leaving = new AbortController();
      const url = `http://127.0.0.1:${port}/`;
      const response = await boundedFetch(
        url,
        { signal: leaving.signal },
        {
          traffic: { ...traffic, admits: () => true } as unknown as Traffic,
        },
      );
      const text = response.text();
      await vi.waitFor(() => expect(held.at(-1)).toBeGreaterThan(0));
      leaving.abort();
      await expect(text).rejects.toThrow();
      await vi.waitFor(() => expect(held.at(-1)).toBe(0));
      server.close();
      server.closeAllConnections();
    },
  );

  test('remember limits.learnedResourcesMax addresses, then learn them anew', () => {
    const upstreams = new Upstreams([], '1', ports, nobody);
    const [first, second] = ['a', 'b'].map((name) => ({ name }) as unknown as Upstream);
    for (let index = 0; index < mcpLimits.learnedResourcesMax; index++) {
      upstreams.learnResource(`r://${index}`, first as Upstream);
    }
    expect(upstreams.learned).toBe(mcpLimits.learnedResourcesMax);
    upstreams.learnResource('r://one-more', second as Upstream);
    expect(upstreams.learned).toBe(1);
  });

  test.each([
    [mcpLimits.subscriptionsMax, mcpLimits.subscriptionsMax],
    [mcpLimits.subscriptionsMax + 1, mcpLimits.subscriptionsMax],
  ])('limits.subscriptionsMax: of %i resources %i are heard about', async (count, heard) => {
    const asked: string[] = [];
    const request = async ({ params }: { params: JsonObject }): Promise<object> => {
      asked.push(String(params.uri));
      return {};
    };
    const upstream = fakeUpstream({ isModern: false, request });
    const upstreams = { withResource: () => [upstream] };
    const deps = { ports, upstreams } as unknown as CallDeps;
    const resourceSubscriptions = Array.from({ length: count }, (_, index) => `r://${index}`);
    const body = { params: { notifications: { resourceSubscriptions } } };
    const caller = { actor: 'agent:ada', roles: ['agent'] } as const;
    await hearResources(body, new AbortController().signal, caller, deps);
    expect(asked).toHaveLength(heard);
  });

  const listening = (open: Set<string>): CallDeps => {
    const listen = async ({ resourceSubscriptions: [uri = ''] }: Listening): Promise<object> => {
      open.add(uri);
      return { close: async () => void open.delete(uri) };
    };
    const upstream = fakeUpstream({ isModern: true, listen });
    return { ports, upstreams: { withResource: () => [upstream] } } as unknown as CallDeps;
  };
  const ada = { actor: 'agent:ada', roles: ['agent'] } as const;

  test('limits.subscriptionsMax: also hold for a connection of the older revision', async () => {
    const memory: Memory = { subscriptions: new Map() };
    const deps = listening(new Set());
    const ask = (uri: string, wanted = true) =>
      subscribe({ params: { uri }, caller: ada, memory } as unknown as ClientRequest, wanted, deps);
    for (let index = 0; index < mcpLimits.subscriptionsMax; index++) await ask(`r://${index}`);
    await expect(ask('r://more')).rejects.toThrow('unsubscribe');
    // One that it has already is no further one.
    await ask('r://1');
    await ask('r://0', false);
    await ask('r://more');
    expect(memory.subscriptions.size).toBe(mcpLimits.subscriptionsMax);
  });

  test('send nothing to a stream that never opened or whose client is gone', async () => {
    const open = new Set<string>();
    const body = { params: { notifications: { resourceSubscriptions: ['r://1', 'r://2'] } } };
    const [here, gone] = [new AbortController(), new AbortController()];
    const stop = await hearResources(body, here.signal, ada, listening(open));
    expect(open.size).toBe(2);
    stop();
    expect(open.size).toBe(0);
    await hearResources(body, here.signal, ada, listening(open));
    here.abort();
    expect(open.size).toBe(0);
    gone.abort();
    await hearResources(body, gone.signal, ada, listening(open));
    expect(open.size).toBe(0);
  });
});
