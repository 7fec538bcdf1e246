import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import { Conversations, type InputQuestion, type InputRequest } from './conversations.ts';

const { signal: gone } = new AbortController();
const mine = { owner: () => 'agent:ada and these arguments', gone };
const question = { method: 'elicitation/create', params: { message: 'Sure?' } };

const askTwice = async (ask: InputQuestion): Promise<JsonObject> => {
  const first = await ask(question);
  return { first, second: await ask(question) };
};

describe('a call that asks', () => {
  test('stays one call over all requests of its client', async () => {
    const conversations = new Conversations();
    const one = (await conversations.begin(mine, askTwice)) as InputRequest;
    expect(one.inputRequests).toEqual({ 'input-1': question });
    const two = (await conversations.resume(one.requestState, mine, {
      'input-1': { action: 'accept' },
    })) as InputRequest;
    expect(two.requestState).not.toBe(one.requestState);
    expect(Object.keys(two.inputRequests)).toEqual(['input-2']);
    const done = await conversations.resume(two.requestState, mine, {
      'input-2': { action: 'decline' },
    });
    expect(done).toEqual({ first: { action: 'accept' }, second: { action: 'decline' } });
    expect(conversations.size).toBe(0);
  });

  test('continues only for the same client and the same arguments', async () => {
    const conversations = new Conversations();
    const { requestState } = (await conversations.begin(mine, askTwice)) as InputRequest;
    const other = { owner: () => 'agent:eve and these arguments', gone };
    const answers = { 'input-1': {} };
    expect(() => conversations.resume(requestState, other, answers)).toThrow(
      'Unknown requestState',
    );
    expect(() => conversations.resume('made up', mine, answers)).toThrow('Unknown requestState');
  });

  test('asks again for what was not answered', async () => {
    const conversations = new Conversations();
    const { requestState } = (await conversations.begin(mine, askTwice)) as InputRequest;
    const again = (await conversations.resume(requestState, mine, {})) as InputRequest;
    expect(Object.keys(again.inputRequests)).toEqual(['input-1']);
  });

  test('may end without what it asked for: who answers gets its end', async () => {
    const conversations = new Conversations();
    const enough = Promise.withResolvers<JsonObject>();
    const begun = conversations.begin(mine, (ask) => {
      ask(question).catch(() => undefined);
      return enough.promise;
    });
    const { requestState } = (await begun) as InputRequest;
    enough.resolve({ text: 'done' });
    await expect.poll(() => conversations.size).toBe(0);
    const answers = { 'input-1': { action: 'accept' } };
    expect(await conversations.resume(requestState, mine, answers)).toEqual({ text: 'done' });
  });

  test('takes no answers to an earlier round for answers to this one', async () => {
    const conversations = new Conversations();
    const again = async (ask: InputQuestion): Promise<JsonObject> => ({
      first: await ask(question, 'name'),
      second: await ask(question, 'name'),
    });
    const one = (await conversations.begin(mine, again)) as InputRequest;
    const answers = { name: { action: 'accept' } };
    await conversations.resume(one.requestState, mine, answers);
    const replayed = (await conversations.resume(one.requestState, mine, answers)) as InputRequest;
    expect(Object.keys(replayed.inputRequests)).toEqual(['name']);
  });

  test('ends when its client hangs up, but not while its client prepares an answer', async () => {
    const conversations = new Conversations();
    const left: string[] = [];
    const begin = (leaving: AbortController): Promise<JsonObject> =>
      conversations.begin({ ...mine, gone: leaving.signal }, async (ask, signal) => {
        signal.addEventListener('abort', () => left.push('left'));
        await ask(question);
        return {};
      });
    const thinking = new AbortController();
    const { requestState } = (await begin(thinking)) as InputRequest;
    thinking.abort();
    expect(left).toEqual([]);
    expect(await conversations.resume(requestState, mine, { 'input-1': {} })).toEqual({});
    const leaving = new AbortController();
    const begun = Promise.withResolvers<void>();
    const never = conversations.begin({ ...mine, gone: leaving.signal }, (_, signal) => {
      const { promise, reject } = Promise.withResolvers<never>();
      begun.resolve();
      signal.addEventListener('abort', () => reject(new Error('left')));
      return promise;
    });
    await begun.promise;
    leaving.abort();
    await expect(never).rejects.toThrow('left');
  });

  test.each([
    [mcpLimits.questionMsMax - 1, 1],
    [mcpLimits.questionMsMax, 0],
  ])('waits mcpLimits.questionMsMax for an answer: after %i ms, %i are open', async (ms, open) => {
    vi.useFakeTimers();
    try {
      const conversations = new Conversations();
      const said = conversations.begin(mine, async (ask) => ask(question).catch(() => ({})));
      const { requestState } = (await said) as InputRequest;
      expect(requestState).not.toBe('');
      await vi.advanceTimersByTimeAsync(ms);
      expect(conversations.size).toBe(open);
    } finally {
      vi.useRealTimers();
    }
  });

  test('limits.openQuestionsMax questions are open at once, and no more', async () => {
    const conversations = new Conversations();
    const begin = () => conversations.begin(mine, (ask) => ask(question));
    for (let index = 0; index < mcpLimits.openQuestionsMax; index++) {
      expect(await begin()).toMatchObject({ resultType: 'input_required' });
    }
    await expect(begin()).rejects.toThrow('too many questions');
  });

  test('that fails also fails for its client', async () => {
    const conversations = new Conversations();
    const { requestState } = (await conversations.begin(mine, async (ask) => {
      await ask(question);
      throw new Error('no');
    })) as InputRequest;
    await expect(conversations.resume(requestState, mine, { 'input-1': {} })).rejects.toThrow('no');
  });
});
