import { expect, test } from 'vitest';
import type { Client } from '../http/index.ts';
import { mcpLimits } from './limits.ts';
import { kinds, listKind } from './resources.ts';

/** A daemon with so many contracts. */
const withContracts = (count: number): Client => {
  const contracts = Array.from({ length: count }, (_, index) => ({ tool: `tool/${index}` }));
  return { call: async () => ({ contracts }), stream: () => [] } as unknown as Client;
};

test.each([
  [mcpLimits.mcpResourcesMax, mcpLimits.mcpResourcesMax],
  [mcpLimits.mcpResourcesMax + 1, mcpLimits.mcpResourcesMax],
])('at most mcpLimits.mcpResourcesMax resources are listed: of %i, %i', async (count, listed) => {
  const deps = {
    actor: 'agent:a',
    version: '1',
    now: () => 0,
    connect: () => withContracts(count),
  };
  const { resources } = await listKind('contracts', kinds.contracts as never, deps);
  expect(resources).toHaveLength(listed);
  expect(resources[0]).toMatchObject({ uri: 'surety://contracts/tool%2F0', name: 'tool/0' });
});
