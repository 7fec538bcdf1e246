import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../kernel/index.ts';
import { type Ask, Conversations, type InputRequired } from './conversations.ts';

const mine = (): string => 'agent:ada and these arguments';
const question = { method: 'elicitation/create', params: { message: 'Sure?' } };

const askTwice = async (ask: Ask): Promise<JsonObject> => {
  const first = await ask(question);
  return { first, second: await ask(question) };
};

describe('a call that asks', () => {
  test('is one call over all requests of its client', async () => {
    const conversations = new Conversations();
    const one = (await conversations.begin(mine, askTwice)) as InputRequired;
    expect(one.inputRequests).toEqual({ 'input-1': question });
    const two = (await conversations.resume(one.requestState, mine, {
      'input-1': { action: 'accept' },
    })) as InputRequired;
    expect(two).toMatchObject({ requestState: one.requestState });
    expect(Object.keys(two.inputRequests)).toEqual(['input-2']);
    const done = await conversations.resume(one.requestState, mine, {
      'input-2': { action: 'decline' },
    });
    expect(done).toEqual({ first: { action: 'accept' }, second: { action: 'decline' } });
    expect(conversations.size).toBe(0);
  });

  test('goes on for nobody else, and for no other arguments', async () => {
    const conversations = new Conversations();
    const { requestState } = (await conversations.begin(mine, askTwice)) as InputRequired;
    const other = (): string => 'agent:eve and these arguments';
    const answers = { 'input-1': {} };
    expect(() => conversations.resume(requestState, other, answers)).toThrow('No open call');
    expect(() => conversations.resume('made up', mine, answers)).toThrow('No open call');
  });

  test('asks again for what was not answered', async () => {
    const conversations = new Conversations();
    const { requestState } = (await conversations.begin(mine, askTwice)) as InputRequired;
    const again = (await conversations.resume(requestState, mine, {})) as InputRequired;
    expect(Object.keys(again.inputRequests)).toEqual(['input-1']);
  });

  test('that ends badly ends for its client as well', async () => {
    const conversations = new Conversations();
    const { requestState } = (await conversations.begin(mine, async (ask) => {
      await ask(question);
      throw new Error('no');
    })) as InputRequired;
    await expect(conversations.resume(requestState, mine, { 'input-1': {} })).rejects.toThrow('no');
  });
});
