import { statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { argumentsBytes, boundDeniedArguments } from './denied-arguments.ts';
import { makeDirectory, openTestGate, removeDirectory } from './gate.fixture.ts';
import { gateLimits } from './limits.ts';

const most = gateLimits.deniedArgumentsBytesMax;

// proves: gate.denied-bounded
test(`arguments of up to ${most} bytes are kept whole, larger ones are cut`, () => {
  const fits = { order: 7, text: 'x'.repeat(most - argumentsBytes({ order: 7, text: '' })) };
  expect(argumentsBytes(fits)).toBe(most);
  expect(boundDeniedArguments(fits)).toBe(fits);
  const cut = boundDeniedArguments({ ...fits, text: `${fits.text}x` });
  expect(cut).toEqual({ order: 7, text: expect.stringMatching(/^\[cut: \d+ bytes]$/) });
});

test('whatever the arguments are, what is kept fits', () => {
  const value = fc.oneof(fc.string({ maxLength: 9_000, size: 'max' }), fc.integer());
  fc.assert(
    fc.property(fc.dictionary(fc.string({ size: 'large' }), value, { maxKeys: 400 }), (given) => {
      expect(argumentsBytes(boundDeniedArguments(given))).toBeLessThanOrEqual(most);
    }),
    { numRuns: 30 },
  );
  const many = Object.fromEntries(
    Array.from({ length: 9_000 }, (_, index) => [`k${index}`, index]),
  );
  const kept = boundDeniedArguments(many);
  expect(argumentsBytes(kept)).toBeLessThanOrEqual(most);
  expect(kept['[cut]']).toMatch(/^\d+ more$/);
});

// proves: gate.denied-bounded
test('20 denied calls of 4 MB each add less than 1 MB to the ledger and are charged', async () => {
  const directory = makeDirectory();
  const policy = { version: 1, tools: {}, agents: { ada: { tools: [] } } } as const;
  const gate = await openTestGate({ directory, policy: policy as never });
  const text = 'x'.repeat(4_000_000);
  for (let index = 0; index < 20; index++) {
    const proposal = { actor: 'agent:ada', tool: 'pay', arguments: { index, text } } as const;
    await expect(gate.propose(proposal)).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
  }
  expect(gate.charged).toHaveLength(20);
  expect(gate.charged[0]).toBe(Math.floor(4_000_000 / gateLimits.deniedRequestBytes));
  expect(await gate.replay()).toMatchObject({ decisions: 20, forgotten: 20, different: 0 });
  await gate.close();
  expect(statSync(join(directory, 'ledger.db')).size).toBeLessThan(1_000_000);
  removeDirectory(directory);
});
