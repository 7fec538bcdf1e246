import { definePolicy, type Guard } from '../../../src/index.ts';

const name = { type: 'string', maxLength: 40 };
const arguments_ = { type: 'object', required: ['name'], properties: { name } } as const;

/** One effect per name. What a crash interrupted is read first, and made if it is not there. */
export const effectPolicy = definePolicy({
  version: 1,
  tools: {
    'effect.find': { effect: 'read', arguments: { ...arguments_ } },
    'effect.make': {
      effect: 'mutating',
      arguments: { ...arguments_ },
      preconditions: [
        {
          rule: 'lower-case',
          that: 'arguments.name.matches("^[a-z]+$")',
          message: 'the name has other characters',
          remedy: 'Use lower-case letters only.',
        },
      ],
      governance: {
        key: 'arguments.name',
        approval: { when: 'arguments.name.startsWith("big")', role: 'approver', within: '1h' },
        cost: { money: '5' },
        timeout: '60s',
      },
      recovery: {
        steps: [
          {
            reconcile: {
              read: 'effect.find',
              with: { name: 'arguments.name' },
              committed: 'read.count > 0',
              failed: 'read.count == 0',
            },
          },
          { retry: { times: 1, backoff: '10ms' } },
        ],
      },
    },
  },
  agents: {
    ada: { tools: ['effect.*'], budgets: [{ dimension: 'money', limit: 1_000 }] },
    bob: { tools: ['effect.find'] },
  },
});

type Named = { readonly name: string };

/** Makes effects at an effect server, whose address says how long it keeps back its answers. */
export function guardEffects(guard: Guard, url: (name: string) => string) {
  const find = guard('effect.find', async ({ name: wanted }: Named) => {
    const { count } = (await fetchJson(url(wanted))) as { count: number };
    return { count };
  });
  const make = guard('effect.make', async ({ name: wanted }: Named, { proposal }) => {
    await fetchJson(url(wanted), { method: 'POST' });
    return { made: wanted, by: proposal };
  });
  return { find, make };
}

async function fetchJson(url: string, options: RequestInit = {}): Promise<unknown> {
  const response = await fetch(url, options);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}
