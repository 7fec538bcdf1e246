import { describe, expect, test } from 'vitest';
import { StdioTransport } from '../src/mcp/gateway/upstream/stdio-transport.ts';
import { Traffic } from '../src/mcp/gateway/upstream/traffic.ts';
import { Upstream } from '../src/mcp/gateway/upstream/upstream.ts';
import { mcpLimits } from '../src/mcp/limits.ts';
import { until } from './harness/until.ts';
import { whenTestEnds } from './harness/when-test-ends.ts';

const environment = { PATH: process.env.PATH ?? '' };

describe('limits.upstreamUnreadBytesMax: a server that reads nothing', () => {
  test('is cut off once it has left too much of its input unread', async () => {
    const reasons: string[] = [];
    const traffic = new Traffic({
      onCutOff: (reason) => void reasons.push(reason),
      onErrorLine: () => undefined,
    });
    const program = { command: ['sleep', '30'], directory: '.', environment };
    const transport = new StdioTransport(program, traffic);
    await transport.start();
    whenTestEnds(async () => transport.kill());
    const data = 'x'.repeat(mcpLimits.upstreamUnreadBytesMax);
    const message = { jsonrpc: '2.0' as const, method: 'notifications/x', params: { data } };
    await transport.send({ ...message, params: { data: data.slice(200) } });
    await transport.send(message);
    expect(reasons).toEqual([]);
    await expect(transport.send(message)).rejects.toThrow();
    expect(reasons).toEqual(['it left more than 33554432 bytes of its input unread']);
  });
});

/** A server that is polite until it has listed its tools, and then does what it is told to. */
const polite = (then: string): string => `
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  const lines = require('node:readline').createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') {
      const serverInfo = { name: 'x', version: '1' };
      send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
    } else if (method === 'tools/list') {
      send({ id, result: { tools: [{ name: 'a', inputSchema: {} }] } });
      setTimeout(() => { ${then} }, 50);
    } else if (id !== undefined) send({ id, error: { code: -32601, message: 'unknown' } });
  });`;

const flood = (message: string): string =>
  `const text = JSON.stringify(${message}) + '\\n';
   const go = () => { while (process.stdout.write(text)); process.stdout.once('drain', go); }; go();`;

// proves: mcp.budget
describe('a server', () => {
  test.each([
    ['notifications', flood(`{ jsonrpc: '2.0', method: 'notifications/message' }`), 'messages'],
    ['requests', flood(`{ jsonrpc: '2.0', id: 'x', method: 'roots/list' }`), 'requests'],
    ['what is no JSON', flood(`'no message'`), 'messages in a minute'],
    [
      'large messages',
      flood(`{ jsonrpc: '2.0', method: 'x', params: { text: 'x'.repeat(100000) } }`),
      'bytes in a minute without being asked',
    ],
    [
      'a line without an end',
      `setInterval(() => process.stdout.write('x'.repeat(1000000)), 1)`,
      'larger than 8388608 bytes',
    ],
  ])('that floods with %s is cut off with a reason', async (_, then, reason) => {
    const offered: number[] = [];
    const events = {
      onTools: async ({ tools }: Upstream) => void offered.push(tools.size),
      onNotification: () => undefined,
    };
    const command = [process.execPath, '-e', polite(then)];
    const spec = { name: 'x', command, directory: '.', environment: {} };
    const upstream = new Upstream({ spec, events, version: '1', log: () => undefined });
    whenTestEnds(() => upstream.close());
    await upstream.start();
    await until('it is cut off', () => upstream.cutOffReason !== undefined);
    expect(upstream.cutOffReason).toContain(reason);
    await until('its tools are gone', () => !upstream.isUp && offered.at(-1) === 0);
    expect(offered).toEqual([1, 0]);
  });
});
