import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ProtocolMessage } from '../clients/exchange.ts';
import { fetchTools } from './fetch-tools.ts';

const quiet = (): void => undefined;
const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
});

/** A server that lists what it is told to, a page at a time. */
const listing = (page: (cursor: number) => JsonObject, pageBytes = 0) => {
  let answered = 0;
  return {
    name: 'fixture',
    request: async ({ params = {} }: ProtocolMessage) => {
      answered += pageBytes;
      return page(Number(params.cursor ?? 0));
    },
    answeredBytes: () => answered,
  };
};

const names = async (tools: Json[]): Promise<string[]> => [
  ...(
    await fetchTools(
      listing(() => ({ tools })),
      quiet,
    )
  ).keys(),
];

describe('the tools of a server', () => {
  test('are read up to mcpLimits.upstreamPagesMax pages', async () => {
    const endless = listing((cursor) => ({
      tools: [tool(`t${cursor}`)],
      nextCursor: String(cursor + 1),
    }));
    expect((await fetchTools(endless, quiet)).size).toBe(mcpLimits.upstreamPagesMax);
    const ending = listing((cursor) => ({
      tools: [tool(`t${cursor}`)],
      ...(cursor + 1 < mcpLimits.upstreamPagesMax ? { nextCursor: String(cursor + 1) } : {}),
    }));
    expect((await fetchTools(ending, quiet)).has(`t${mcpLimits.upstreamPagesMax - 1}`)).toBe(true);
  });

  test('limits.upstreamListBytesMax: bounds all pages together', async () => {
    const pages = (pageBytes: number) =>
      listing((cursor) => (cursor < 3 ? { nextCursor: String(cursor + 1) } : {}), pageBytes);
    const quarter = mcpLimits.upstreamListBytesMax / 4;
    expect((await fetchTools(pages(quarter), quiet)).size).toBe(0);
    await expect(fetchTools(pages(quarter + 1), quiet)).rejects.toThrow('larger than 16777216');
  });

  test('that are left out are logged some by name, and all by number', async () => {
    const said: JsonObject[] = [];
    const wrong = listing(() => ({ tools: Array.from({ length: 1_000 }, () => 'no tool') }));
    await fetchTools(wrong, (_, __, details = {}) => void said.push(details));
    expect(said).toHaveLength(20);
    expect(said[0]).toEqual({ upstream: 'fixture', tool: 'string', count: 1_000 });
  });

  test.each([
    [mcpLimits.upstreamToolsMax, mcpLimits.upstreamToolsMax],
    [mcpLimits.upstreamToolsMax + 1, mcpLimits.upstreamToolsMax],
  ])('limits.upstreamToolsMax: of %i there are %i', async (count, kept) => {
    expect(
      await names(Array.from({ length: count }, (_, index) => tool(`t${index}`))),
    ).toHaveLength(kept);
  });

  test.each([
    [0, true],
    [1, false],
  ])('limits.toolDefinitionBytesMax: %i bytes more, taken: %s', async (more, taken) => {
    const bare = JSON.stringify(tool('t', { description: '' })).length;
    const description = 'x'.repeat(mcpLimits.toolDefinitionBytesMax - bare + more);
    expect(await names([tool('t', { description })])).toEqual(taken ? ['t'] : []);
  });

  test.each<[string, Json]>([
    ['no object', 7],
    ['without a name', { inputSchema: {} }],
    ['without a schema', { name: 'x' }],
    ['with a name of Surety', tool('surety.approval_status')],
    ['with blanks in its name', tool('rm -rf')],
    ['with an empty name', tool('')],
    ['that is no strict JSON', tool('x', { description: '\ud800' })],
  ])('%s are left out', async (_, wrong) => {
    expect(await names([wrong, tool('right')])).toEqual(['right']);
  });

  test('that are listed twice count once', async () => {
    expect(await names([tool('a'), tool('a', { description: 'other' })])).toEqual(['a']);
  });
});
