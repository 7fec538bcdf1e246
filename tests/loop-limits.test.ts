import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonObject, toFault } from '../src/kernel/index.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { Workspace } from './harness/workspace.ts';

const agents = ['ada', 'bob', 'cleo', 'dan', 'eve'];

const policy = `version: 1
tools:
  note.add:
    effect: mutating
    arguments:
      type: object
      required: [text]
      properties:
        text: {type: string, maxLength: 40}
        silent: {type: boolean, default: false}
    run: {command: [cat]}
  note.read: {effect: read, arguments: {type: object, properties: {page: {type: integer, maximum: 999}}}, run: {command: [cat]}}
agents: {${agents.map((agent) => `${agent}: {tools: ["*"]}`).join(', ')}}
`;

let workspace: Workspace;

beforeAll(async () => {
  workspace = new Workspace({ config: 'policy: policy.yaml\n' });
  writeFileSync(join(workspace.root, 'policy.yaml'), policy);
  await workspace.up();
});
afterAll(async () => {
  expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  expect(await workspace.run('ledger', 'rebuild')).toMatchObject({ ok: true });
  await workspace[Symbol.asyncDispose]();
});

async function call(agent: string, given: JsonObject, more: object = {}): Promise<string> {
  const body = { tool: 'note.add', arguments: given, ...more };
  return asAgent(workspace, agent)
    .call('POST /v1/proposals', { body })
    .then(
      () => 'ok',
      (error) => String(toFault(error).details?.rule),
    );
}

const times = async (count: number, work: (index: number) => Promise<string>) => {
  const answers: string[] = [];
  for (let index = 0; index < count; index++) answers.push(await work(index));
  return answers;
};
const denied = (count: number): string[] => Array(count).fill('loop.proposal');

// proves: gate.loops
test('an identical call stays denied however often the agent repeats it', async () => {
  const answers = await times(10, () => call('ada', { text: 'x' }));
  expect(answers).toEqual(['ok', 'ok', 'ok', ...denied(7)]);
  expect(await call('ada', { text: 'y' })).toBe('ok');
  expect(await call('ada', { text: 'x' })).toBe('ok');
});

test('a fresh task for each call does not evade the limit', async () => {
  const answers = await times(6, async () => {
    const { task } = await asAgent(workspace, 'bob').call('POST /v1/tasks', {
      body: { goal: 'write a note' },
    });
    return call('bob', { text: 'x' }, { task });
  });
  expect(answers).toEqual(['ok', 'ok', 'ok', ...denied(3)]);
  expect(await call('bob', { text: 'x' })).toBe('loop.proposal');
});

test('white space, the order of arguments and given defaults do not evade the limit', async () => {
  const variants = [
    { text: 'x y', silent: true },
    { silent: true, text: ' x y' },
    { text: 'x \n  y', silent: true },
    { text: '\tx y ', silent: true },
  ];
  expect(await times(4, (index) => call('cleo', variants[index] ?? {}))).toEqual([
    'ok',
    'ok',
    'ok',
    'loop.proposal',
  ]);
  const defaults = [{ text: 'x' }, { text: 'x', silent: false }];
  expect(await times(4, (index) => call('cleo', defaults[index % 2] ?? {}))).toEqual([
    'ok',
    'ok',
    'ok',
    'loop.proposal',
  ]);
});

test('reads and denied calls in between do not evade the limit', async () => {
  const answers = await times(5, async (index) => {
    await call('dan', { page: index }, { tool: 'note.read' });
    await call('dan', { text: `${index}`.padEnd(41) });
    return call('dan', { text: 'x' });
  });
  expect(answers).toEqual(['ok', 'ok', 'ok', ...denied(2)]);
});

test('two calls in turns stay denied once they form a cycle', async () => {
  const answers = await times(16, (index) => call('eve', { text: index % 2 ? 'x' : 'y' }));
  expect(answers.slice(0, 7)).toEqual(Array(7).fill('ok'));
  const x = answers.filter((_, index) => index % 2 === 1);
  expect(x).toEqual(['ok', 'ok', 'ok', ...Array(5).fill('loop.cycle')]);
  // Then y is the only call left, until it repeats itself.
  const y = answers.filter((_, index) => index % 2 === 0);
  expect(y).toEqual([...Array(6).fill('ok'), ...denied(2)]);
});
