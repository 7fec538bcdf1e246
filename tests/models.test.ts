import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { agentTokenFile } from '../src/runtime/identities.ts';
import { counted, ScriptedProvider } from './harness/models/scripted-provider.ts';
import { Workspace } from './harness/workspace.ts';

const policy = `version: 1
agents:
  coder: {tools: [model.call]}
  saver: {tools: [model.call], budgets: [{dimension: tokens, limit: 500}]}
  clerk: {tools: [task.finish]}
`;

const ownersKey = 'the-key-of-the-owner';
const provider = new ScriptedProvider();
let workspace: Workspace;
let port: number;

beforeAll(async () => {
  const url = await provider.listen();
  const models = `
  gpt: {api: openai, url: ${url}, keyFile: provider.key}
  claude: {api: anthropic, url: ${url}, keyFile: provider.key}
  keyless: {api: openai, url: ${url}, keyVariable: SURETY_TEST_NOT_SET}
`;
  workspace = new Workspace({ config: `policy: policy.yaml\nmodels:${models}` });
  writeFileSync(join(workspace.root, 'policy.yaml'), policy);
  writeFileSync(join(workspace.root, 'provider.key'), `${ownersKey}\n`);
  ({ port } = await workspace.up());
});
afterAll(async () => {
  expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  await workspace[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(() => {
  provider.asked.length = 0;
  provider.status = 200;
  provider.isStuck = false;
});

const tokenOf = (agent: string): string =>
  readFileSync(agentTokenFile(workspace.place, agent), 'utf8').trim();
const baseOf = (name: string, task?: string): string =>
  `http://127.0.0.1:${port}/models/${name}${task === undefined ? '' : `/tasks/${task}`}`;
const openaiOf = (agent: string, task?: string, name = 'gpt'): OpenAI =>
  new OpenAI({ apiKey: tokenOf(agent), baseURL: `${baseOf(name, task)}/v1` });
const anthropicOf = (agent: string): Anthropic =>
  new Anthropic({ apiKey: tokenOf(agent), baseURL: baseOf('claude') });

let questions = 0;
/** Each question is a new one, as asking the same again and again is refused. */
const ask = (max_tokens = 50) => ({
  ...{ model: 'small', max_tokens },
  messages: [{ role: 'user' as const, content: `What is ${questions++}?` }],
});

async function usageOf(agent: string, name = 'gpt') {
  const { usage } = await workspace.client().call('GET /v1/models', {});
  const own = usage.filter((one) => one.agent === `agent:${agent}` && one.provider === name);
  const sum = (of: 'calls' | 'inputTokens' | 'outputTokens' | 'uncountedCalls'): number =>
    own.reduce((total, one) => total + one[of], 0);
  return {
    ...{ calls: sum('calls'), input: sum('inputTokens') },
    ...{ output: sum('outputTokens'), uncounted: sum('uncountedCalls') },
  };
}

/** What one more call adds to the usage, once it is settled. */
async function added(agent: string, name: string, call: () => Promise<unknown>) {
  const before = await usageOf(agent, name);
  await call();
  const calls = async () => (await usageOf(agent, name)).calls;
  await expect.poll(calls, { timeout: 20_000 }).toBe(before.calls + 1);
  const after = await usageOf(agent, name);
  return { input: after.input - before.input, output: after.output - before.output };
}

// proves: models.counted
describe('a model behind Surety', () => {
  test('answers the client of OpenAI, with the key of the owner', async () => {
    const used = await added('coder', 'gpt', async () => {
      const { choices } = await openaiOf('coder').chat.completions.create(ask());
      expect(choices[0]?.message.content).toBe('Hello.');
    });
    expect(used).toEqual(counted);
    expect(provider.asked[0]?.headers.authorization).toBe(`Bearer ${ownersKey}`);
    expect(JSON.stringify(provider.asked)).not.toContain(tokenOf('coder'));
  });

  test.each([true, false])(
    'streams to the client of OpenAI; it asks for usage: %s',
    async (include_usage) => {
      let text = '';
      let reports = 0;
      const used = await added('coder', 'gpt', async () => {
        const stream_options = include_usage ? { include_usage } : null;
        const stream = await openaiOf('coder').chat.completions.create({
          ...{ ...ask(), stream: true, stream_options },
        });
        for await (const { choices, usage } of stream) {
          text += choices[0]?.delta.content ?? '';
          reports += usage ? 1 : 0;
        }
      });
      expect([text, reports]).toEqual(['Hello.', Number(include_usage)]);
      expect(used).toEqual(counted);
    },
  );

  test('answers the client of Anthropic, in one piece and as a stream', async () => {
    const client = anthropicOf('coder');
    const whole = await added('coder', 'claude', async () => {
      const { content } = await client.messages.create(ask());
      expect(content).toMatchObject([{ text: 'Hello.' }]);
    });
    const streamed = await added('coder', 'claude', async () => {
      expect(await client.messages.stream(ask()).finalText()).toBe('Hello.');
    });
    expect([whole, streamed]).toEqual([counted, counted]);
    expect(provider.asked[0]?.headers['x-api-key']).toBe(ownersKey);
  });

  test('counts what was reserved if the client goes away in the middle', async () => {
    provider.isStuck = true;
    const used = await added('coder', 'gpt', async () => {
      const stream = await openaiOf('coder').chat.completions.create({ ...ask(70), stream: true });
      for await (const _ of stream) break;
      stream.controller.abort();
    });
    expect(used.output).toBe(70);
  });

  test('passes on what the provider refuses, which costs nothing', async () => {
    provider.status = 422;
    const before = await usageOf('coder');
    const refused = openaiOf('coder').chat.completions.create(ask());
    await expect(refused).rejects.toMatchObject({ status: 422, message: /overloaded/ });
    expect(await usageOf('coder')).toEqual(before);
  });
});

const budgetRefusal = {
  ...{ status: 400, code: 'insufficient_quota' },
  message: expect.stringMatching(/tokens left, and this call needs .*Ask for a larger budget/s),
};

// proves: models.budget
describe('a call beyond a budget', () => {
  test('of the agent is refused in words that clients do not repeat', async () => {
    await expect(openaiOf('saver').chat.completions.create(ask(600))).rejects.toMatchObject(
      budgetRefusal,
    );
    const refused = anthropicOf('saver').messages.create(ask(600));
    await expect(refused).rejects.toMatchObject({ error: { error: { type: 'billing_error' } } });
    expect(provider.asked).toEqual([]);
    expect(await usageOf('saver')).toMatchObject({ calls: 0 });
  });

  test('of the task is refused, and what is left counts by what was really used', async () => {
    const client = workspace.client();
    const body = { goal: 'write it', agent: 'agent:coder', budgets: { tokens: 200 } };
    const { task } = await client.call('POST /v1/tasks', { body });
    const model = openaiOf('coder', task);
    await expect(model.chat.completions.create(ask(300))).rejects.toMatchObject(budgetRefusal);
    await added('coder', 'gpt', () => model.chat.completions.create(ask(150)));
    await added('coder', 'gpt', () => model.chat.completions.create(ask(150)));
    const { budgets } = await client.call('GET /v1/tasks/{task}', { path: { task } });
    expect(budgets).toMatchObject({ tokens: { spent: 2 * (counted.input + counted.output) } });
  });
});

// proves: models.loops
test('the same question is cut off, also with more tokens', async () => {
  const question = ask();
  const model = openaiOf('coder');
  for (const max_tokens of [10, 100, 1_000]) {
    await model.chat.completions.create({ ...question, max_tokens });
  }
  await expect(
    model.chat.completions.create({ ...question, max_tokens: 10_000 }),
  ).rejects.toMatchObject({ status: 400, message: /the same call was made 3 times in a row/ });
  expect(provider.asked).toHaveLength(3);
});

describe('a request is refused', () => {
  const create = (client: OpenAI) => client.chat.completions.create(ask());

  test('to whoever has no token, or no permission', async () => {
    const stranger = new OpenAI({ apiKey: 'sk-own', baseURL: `${baseOf('gpt')}/v1` });
    await expect(create(stranger)).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    await expect(create(openaiOf('clerk'))).rejects.toMatchObject({
      ...{ status: 403, code: 'permission_denied' },
    });
  });

  test('for a provider without a key, an unknown one, and a path that is not counted', async () => {
    const keyless = create(openaiOf('coder', undefined, 'keyless'));
    await expect(keyless).rejects.toMatchObject({ status: 503, message: /SURETY_TEST_NOT_SET/ });
    const unknown = create(openaiOf('coder', undefined, 'other'));
    await expect(unknown).rejects.toMatchObject({ status: 404, message: /gpt, claude, keyless/ });
    const image = openaiOf('coder').images.generate({ prompt: 'a cat' });
    await expect(image).rejects.toMatchObject({ status: 404, message: /could not count/ });
    expect(provider.asked).toEqual([]);
  });
});

test('the ledger has no question and no answer', async () => {
  await added('coder', 'gpt', () => openaiOf('coder').chat.completions.create(ask()));
  const files = ['ledger.db', 'ledger.db-wal'].map((name) => join(workspace.place.state, name));
  const shown = files.map((file) => readFileSync(file, 'latin1')).join('');
  expect(shown).toContain('model-called');
  expect(shown).not.toMatch(/What is \d+\?|Hello\./);
});
