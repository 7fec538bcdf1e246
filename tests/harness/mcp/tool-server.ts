import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * A tool server of the older revision, by hand: it does what no library would let it do. Every
 * effect is a line of `effects` in its directory; what it says about `search` is in `search.txt`.
 */
const directory = process.cwd();
const effects = join(directory, 'effects');
const searchText = join(directory, 'search.txt');

type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: unknown };
type Given = Record<string, unknown>;

const text = { type: 'string' };
const object = (properties: object = {}, required = Object.keys(properties)): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const definitions = (): object[] => [
  { name: 'order.get', description: 'Looks at an order.', inputSchema: object({ id: text }) },
  {
    name: 'refund.issue',
    description: 'Pays back.',
    inputSchema: object({ orderId: text, amount: { type: 'integer' } }),
  },
  {
    name: 'slow',
    description: 'Takes its time.',
    inputSchema: object({ ms: { type: 'integer' } }),
  },
  {
    name: 'search',
    description: existsSync(searchText) ? readFileSync(searchText, 'utf8') : 'Searches.',
    inputSchema: object({ query: text }),
  },
  { name: 'writes', inputSchema: object(), annotations: { readOnlyHint: false } },
  {
    name: 'promises',
    inputSchema: object({ keep: { type: 'boolean' } }),
    outputSchema: object({ kept: { type: 'boolean' } }),
  },
  ...[
    'fails',
    'refuses',
    'twice',
    'never',
    'wrong-id',
    'garbage',
    'empty',
    'dies',
    'asks',
    'huge',
    'deep',
    'big-number',
    // One of Surety's own: whoever may use that one has not been given this.
    'suite.run',
  ].map((name) => ({ name, inputSchema: object() })),
  { name: 'change', inputSchema: object({ to: text }) },
];

const waiting = new Map<number, (result: unknown) => void>();
let asked = 1_000_000;

const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
};

const said = (value: string, more: object = {}): object => ({
  content: [{ type: 'text', text: value }],
  ...more,
});

const sendText = (id: number, result: string): void => {
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${result}}\n`);
};

const effect = (line: string): void => appendFileSync(effects, `${line}\n`);

const tools: Record<string, (given: Given, id: number) => void | Promise<void>> = {
  'order.get': ({ id: order }, id) => {
    const structuredContent = { id: order, status: 'delivered', total: 30_000 };
    send({ id, result: said(`order ${order}`, { structuredContent }) });
  },
  'refund.issue': ({ orderId, amount }, id) => {
    effect(`refund ${orderId} ${amount}`);
    const structuredContent = { orderId, amount };
    send({ id, result: said(`paid ${amount}`, { structuredContent }) });
  },
  slow: ({ ms }, id) => {
    effect(`slow begins`);
    setTimeout(() => {
      effect('slow ends');
      send({ id, result: said('done') });
    }, Number(ms));
  },
  search: ({ query }, id) => send({ id, result: said(`found ${query}`) }),
  'suite.run': (_, id) => {
    effect('suite.run');
    send({ id, result: said('taken') });
  },
  writes: (_, id) => {
    effect('writes');
    send({ id, result: said('written') });
  },
  promises: ({ keep }, id) => {
    effect('promises');
    const structuredContent = keep ? { kept: true } : { kept: 'no' };
    send({ id, result: said('said', { structuredContent }) });
  },
  fails: (_, id) => send({ id, result: said('no such thing', { isError: true }) }),
  refuses: (_, id) => send({ id, error: { code: -32050, message: 'not today', data: { why: 1 } } }),
  twice: (_, id) => {
    effect('twice');
    send({ id, result: said('first') });
    send({ id, result: said('second') });
  },
  never: () => effect('never'),
  'wrong-id': (_, id) => {
    effect('wrong-id');
    send({ id: id + 77, result: said('for somebody else') });
  },
  garbage: (_, id) => {
    process.stdout.write('{"jsonrpc": oh no\n\u0000\u0001\nnull\n[1,2]\n');
    send({ id, result: said('after the garbage') });
  },
  empty: (_, id) => send({ id, result: { nothing: true } }),
  dies: () => {
    effect('dies');
    process.exit(7);
  },
  huge: (_, id) => send({ id, result: said('x'.repeat(3 * 1024 * 1024)) }),
  deep: (_, id) => {
    const nested = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    sendText(id, `{"content":[],"structuredContent":{"nested":${nested}}}`);
  },
  'big-number': (_, id) =>
    sendText(id, '{"content":[],"structuredContent":{"id":12345678901234567890}}'),
  asks: async (_, id) => {
    const params = {
      message: 'Really?',
      requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
    };
    const answer = await ask('elicitation/create', params);
    effect('asks');
    send({ id, result: said(JSON.stringify(answer)) });
  },
  change: ({ to }, id) => {
    writeFileSync(searchText, String(to));
    send({ id, result: said('changed') });
    send({ method: 'notifications/tools/list_changed' });
  },
};

function ask(method: string, params: object): Promise<unknown> {
  const id = asked++;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function received({ id, method, params = {}, ...answer }: Message & { error?: unknown }): void {
  if (method === undefined) {
    waiting.get(Number(id))?.(answer.result ?? { error: answer.error });
    return;
  }
  if (method === 'notifications/cancelled') effect('cancelled');
  if (id === undefined) return;
  if (method === 'initialize') {
    const serverInfo = { name: 'fixture', version: '1' };
    const capabilities = { tools: { listChanged: true } };
    send({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } });
  } else if (method === 'tools/list') send({ id, result: { tools: definitions() } });
  else if (method === 'tools/call') {
    void tools[String(params.name)]?.((params.arguments ?? {}) as Given, id);
  } else send({ id, error: { code: -32601, message: 'Method not found' } });
}

createInterface({ input: process.stdin }).on('line', (line) => received(JSON.parse(line)));
process.stdin.on('end', () => process.exit(0));
