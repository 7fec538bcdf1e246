import { createInterface } from 'node:readline';

/** A server of the older revision whose lists come in pages of two. */
const lists: Record<string, { items: string; make: (index: number) => object }> = {
  'tools/list': {
    items: 'tools',
    make: (index) => ({ name: `tool-${index}`, inputSchema: { type: 'object' } }),
  },
  'resources/list': {
    items: 'resources',
    make: (index) => ({ uri: `page://${index}`, name: `resource-${index}` }),
  },
  'prompts/list': { items: 'prompts', make: (index) => ({ name: `prompt-${index}` }) },
};
const total = 5;
const pageSize = 2;

type Message = { id?: number; method?: string; params?: { cursor?: string } };

function answer({ method = '', params = {} }: Message): object {
  if (method === 'initialize') {
    const capabilities = { tools: {}, resources: {}, prompts: {} };
    const serverInfo = { name: 'paged', version: '1' };
    return { result: { protocolVersion: '2025-11-25', capabilities, serverInfo } };
  }
  const list = lists[method];
  if (!list) return { error: { code: -32601, message: 'Method not found' } };
  const start = Number(params.cursor ?? 0);
  const end = Math.min(start + pageSize, total);
  const page = Array.from({ length: end - start }, (_, index) => list.make(start + index));
  const more = end < total ? { nextCursor: String(end) } : {};
  return { result: { [list.items]: page, ...more } };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  if (message.id === undefined) return;
  const said = { jsonrpc: '2.0', id: message.id, ...answer(message) };
  process.stdout.write(`${JSON.stringify(said)}\n`);
});
process.stdin.on('end', () => process.exit(0));
