import type { Json, JsonObject } from '../../../src/kernel/index.ts';
import type { FuzzTarget } from '../fuzzing.ts';
import { below, mutate, pick, type Random } from '../mutate.ts';
import { FuzzedDaemon } from './fuzzed-daemon.ts';
import { KnownValues, schemaValue } from './schema-values.ts';

const version = '2026-07-28';
const headers = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};
const methods = [
  ...['tools/list', 'initialize', 'ping', 'resources/list', 'prompts/get', 'logging/setLevel'],
  ...['notifications/initialized', 'tasks/get', 'server/discover', 'completion/complete'],
];
const words = ['"jsonrpc":"2.0"', '"id":null', '"id":1', '"method":"', '"params":{', '"_meta":{'];

interface ListedTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

/** Messages to the daemon's own MCP endpoint, made from the schemas of its tools. */
export async function mcpTarget(): Promise<FuzzTarget> {
  const daemon = await FuzzedDaemon.start();
  const known = new KnownValues();
  const post = (body: Buffer): Promise<{ status: number; text: string }> =>
    daemon.send('ada', 'POST', '/mcp/surety', { body, headers });
  const message = (method: string, params: Json): Buffer =>
    Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const tools = readTools((await post(message('tools/list', {}))).text);
  const call = (random: Random): Buffer => {
    const { name, inputSchema } = pick(random, tools);
    const given = { name, arguments: schemaValue(inputSchema, random, known) };
    return message('tools/call', given);
  };
  const other = (random: Random): Buffer =>
    message(pick(random, methods), schemaValue({}, random, known));
  return {
    seeds: [
      ...tools.map(({ name }) => message('tools/call', { name, arguments: {} })),
      ...methods.map((method) => message(method, { protocolVersion: version })),
    ],
    atOnce: 8,
    make: (random, base, others) =>
      [call, call, other, () => mutate(random, base, { words, others })][below(random, 4)]?.(
        random,
      ) ?? base,
    async execute(input) {
      const { status, text } = await post(input);
      known.learn(text);
      const codes = [...text.matchAll(/"code":\s*("[A-Z_]+"|-?\d+)/g)].map(([, code]) => code);
      // The SDK calls it internal if the parameters of a message do not fit their schema.
      const isBug = codes.includes('-32603') && !text.includes('"message":"[\\n  {');
      if (isBug) throw new Error(`an internal error: ${text}`);
      return `${status} ${codes.slice(0, 2).join(' ')}`;
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}

function readTools(text: string): readonly ListedTool[] {
  const line = text.split('\n').find((one) => one.includes('"tools"')) ?? '';
  const { result } = JSON.parse(line.replace(/^data: /, '')) as { result: { tools: ListedTool[] } };
  return result.tools;
}
