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
const listing = (page: (cursor: number) => JsonObject) => ({
  request: async ({ params = {} }: ProtocolMessage) => page(Number(params.cursor ?? 0)),
});

const names = async (tools: Json[]): Promise<string[]> => [
  ...(
    await fetchTools(
      'fixture',
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
    expect((await fetchTools('fixture', endless, quiet)).size).toBe(mcpLimits.upstreamPagesMax);
    const ending = listing((cursor) => ({
      tools: [tool(`t${cursor}`)],
      ...(cursor + 1 < mcpLimits.upstreamPagesMax ? { nextCursor: String(cursor + 1) } : {}),
    }));
    expect(
      (await fetchTools('fixture', ending, quiet)).has(`t${mcpLimits.upstreamPagesMax - 1}`),
    ).toBe(true);
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
