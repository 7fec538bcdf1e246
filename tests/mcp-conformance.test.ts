import { setTimeout as delay } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from './harness/deep.ts';
import { type Compared, compareConformance, isBeyond } from './harness/mcp/conformance.ts';
import { type ConformanceScene, openConformance } from './harness/mcp/conformance-scene.ts';
import type { ConformanceRevision } from './harness/mcp/conformance-suite.ts';
import { whenTestEnds } from './harness/when-test-ends.ts';

let both: ConformanceScene;
let older: ConformanceScene;
beforeAll(async () => {
  [both, older] = await Promise.all([openConformance('both'), openConformance('older')]);
});
afterAll(async () => {
  await Promise.all([both[Symbol.asyncDispose](), older[Symbol.asyncDispose]()]);
});

const passing = (compared: readonly Compared[], side: 'direct' | 'gateway'): string[] =>
  compared.flatMap((one) => one[side].map((check) => `${one.scenario}: ${check}`)).toSorted();

const comparisons = (
  [
    ['2026-07-28', 'both', 150],
    ['2025-11-25', 'both', 80],
    ['2025-11-25', 'older', 80],
    ['2025-06-18', 'both', 50],
  ] as const satisfies readonly [ConformanceRevision, 'both' | 'older', number][]
).slice(0, runs(1, 4));

// proves: mcp.conformance
describe('the official conformance suite', () => {
  test.concurrent.each(comparisons)(
    'for %s passes the same checks through the gateway as directly (the server speaks %s)',
    async (revision, speaks, atLeast) => {
      const compared = await compareConformance(speaks === 'both' ? both : older, revision);
      const direct = passing(compared, 'direct');
      expect(passing(compared, 'gateway')).toEqual(direct);
      // A comparison of nothing with nothing would be equal, too.
      expect(direct.length).toBeGreaterThan(atLeast);
      const failing = compared.filter(({ checks, direct: passed }) => passed.length < checks);
      expect(failing.filter((one) => !isBeyond(one))).toEqual([]);
    },
  );
});

const oldest = '2025-06-18';

async function connect(url: string, revision: 'older' | 'newest'): Promise<Client> {
  const options =
    revision === 'newest'
      ? { versionNegotiation: { mode: { pin: '2026-07-28' } } }
      : { supportedProtocolVersions: [oldest] };
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: 'ada-client', version: '7' }, { capabilities, ...options });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    // So that the questions of several calls are open at once.
    await delay(50);
    return { action: 'accept', content: { username: params.message, email: 'a@b.c' } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  whenTestEnds(() => client.close());
  return client;
}

const textOf = ({ content }: object & { content?: unknown }): string =>
  (content as { text: string }[])[0]?.text ?? '';

// proves: mcp.session
describe('a client of an older revision', () => {
  test('introduces itself to the server, in its own revision', async () => {
    const client = await connect(both.gateway, 'older');
    const answer = await client.callTool({ name: 'test_introduction' });
    expect(JSON.parse(textOf(answer))).toEqual({
      info: { name: 'ada-client', version: '7' },
      capabilities: { elicitation: { form: {} } },
      revision: oldest,
    });
  });

  test.each([
    ['both', 'older'],
    ['older', 'older'],
    ['older', 'newest'],
  ] as const)(
    'gets the requests that the server makes during each of its calls (the server speaks %s, the client %s)',
    async (speaks, revision) => {
      const client = await connect((speaks === 'both' ? both : older).gateway, revision);
      const questions = ['first?', 'second?', 'third?', 'fourth?'];
      const answers = await Promise.all(
        questions.map((message) =>
          client.callTool({ name: 'test_elicitation', arguments: { message } }),
        ),
      );
      expect(answers.map(textOf)).toEqual(
        questions.map((question) => expect.stringContaining(`"username":"${question}"`)),
      );
    },
  );
});

// proves: mcp.exact
describe('a result', () => {
  const call = async (scene: ConformanceScene, revision: string, name: string): Promise<string> => {
    const client = await connect(scene.gateway, revision as 'older');
    const { transport } = client as unknown as { transport: { sessionId?: string } };
    const response = await fetch(scene.gateway, {
      method: 'POST',
      headers: headersOf(revision, name, transport.sessionId),
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 77,
        method: 'tools/call',
        params: { name, arguments: {}, ...(revision === 'newest' ? { _meta: envelope } : {}) },
      }),
    });
    return response.text();
  };
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  };
  const headersOf = (revision: string, name: string, session = ''): Record<string, string> => ({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(revision === 'newest'
      ? {
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': name,
        }
      : { 'mcp-protocol-version': oldest, 'mcp-session-id': session }),
  });

  test.each([
    ['both', 'newest'],
    ['both', 'older'],
    ['older', 'newest'],
  ] as const)(
    'has its numbers exactly as the server wrote them (server %s, client %s)',
    async (speaks, revision) => {
      const scene = speaks === 'both' ? both : older;
      const text = await call(scene, revision, 'test_exact_numbers');
      expect(text).toContain('"structuredContent":{"big":12345678901234567890,"one":1.0}');
    },
  );
});
