import { expect, test } from 'vitest';
import { takeOver } from './take-over.ts';

/** Services as they run, by name; one of them does not start in one version. */
function systemOf(running: Record<string, string>, fails: readonly string[]) {
  const deps = {
    trees: { open: async (commit: string) => ({ commit, root: '', top: '' }) },
    configAt: async () => ({}),
    baseline: {
      swap: async (service: string, { tree }: { tree: { commit: string } }) => {
        const wanted = `${service} ${tree.commit}`;
        if (fails.includes(wanted)) throw new Error(`${wanted} does not start`);
        running[service] = tree.commit;
      },
    },
  };
  return deps as unknown as Parameters<typeof takeOver>[2];
}

const to = { tree: { commit: 'new', root: '', top: '' }, config: {} as never };
const request = { services: ['edge', 'orders', 'pricing'], from: 'old', to };

test('switches all services to the new version', async () => {
  const running = { edge: 'old', orders: 'old', pricing: 'old' };
  await takeOver(request, 'person:ada', systemOf(running, []));
  expect(running).toEqual({ edge: 'new', orders: 'new', pricing: 'new' });
});

test.each([
  [
    'rolls all services back when one does not start',
    ['pricing new'],
    { edge: 'old', orders: 'old' },
  ],
  [
    'rolls the others back when one service cannot go back',
    ['pricing new', 'orders old'],
    { edge: 'old', orders: 'new' },
  ],
])('%s, and reports the reason', async (_, fails, left) => {
  const running = { edge: 'old', orders: 'old', pricing: 'old' };
  const taken = takeOver(request, 'person:ada', systemOf(running, fails));
  await expect(taken).rejects.toThrow('pricing new does not start');
  expect(running).toEqual({ ...left, pricing: 'old' });
});
