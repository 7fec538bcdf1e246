import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ClientExchange } from './exchange.ts';
import { untilComplete } from './until-complete.ts';

const exchange: ClientExchange = {
  caller: { actor: 'agent:ada', roles: ['agent'] },
  can: () => true,
  ask: async ({ method }) => ({ answerTo: method }),
  tell: () => undefined,
  pause: () => undefined,
};

/** Asks so many times before it ends, and tells what it was sent then. */
function asking(times: number): (params: JsonObject) => Promise<JsonObject> {
  let rounds = 0;
  return async (params) => {
    if (rounds++ >= times) return params;
    const inputRequests = { q: { method: 'roots/list' } };
    return { resultType: 'input_required', inputRequests, requestState: `s${rounds}` };
  };
}

describe('a request that asks its client', () => {
  test('continues with the answers and the state that it received', async () => {
    expect(await untilComplete({ name: 'x' }, exchange, asking(2))).toEqual({
      name: 'x',
      inputResponses: { q: { answerTo: 'roots/list' } },
      requestState: 's2',
    });
  });

  test('may do so mcpLimits.inputRoundsMax times', async () => {
    await expect(
      untilComplete({}, exchange, asking(mcpLimits.inputRoundsMax)),
    ).resolves.toBeTruthy();
    await expect(untilComplete({}, exchange, asking(mcpLimits.inputRoundsMax + 1))).rejects.toThrow(
      'without an end',
    );
  });

  test('has nobody to ask if the runtime itself makes the request', async () => {
    await expect(untilComplete({}, undefined, asking(1))).rejects.toThrow('nobody to ask');
  });
});
