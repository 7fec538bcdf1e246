import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonObject, toFault } from '../src/kernel/index.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { Workspace } from './harness/workspace.ts';

const words = '{type: object, required: [text], properties: {text: {type: string, maxLength: 80}}}';

/** The classifier is a program that the runtime starts. */
const policy = `version: 1
tools:
  tone.classify:
    effect: read
    arguments: ${words}
    result: {type: object, properties: {label: {type: string}}}
    run: {command: [sh, -c, 'if grep -q fool; then echo "{\\"label\\":\\"rude\\"}"; else echo "{\\"label\\":\\"friendly\\"}"; fi']}
  mail.send:
    effect: mutating
    arguments: ${words}
    reads: {tone: {tool: tone.classify, with: {text: arguments.text}}}
    invariants:
      - {rule: tone, that: 'reads.tone.label != "rude"', soft: true, message: the tone is rude}
    run: {command: [cat]}
  note.add:
    effect: mutating
    arguments: ${words}
    invariants:
      - {rule: no-password, that: '!arguments.text.contains("password")'}
    run: {command: [cat]}
agents:
  ada: {tools: ["*"], drift: {warn: {response: pause}}}
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

async function call(tool: string, text: string): Promise<JsonObject> {
  const body = { tool, arguments: { text } };
  return asAgent(workspace, 'ada')
    .call('POST /v1/proposals', { body })
    .then(
      (answer) => answer as unknown as JsonObject,
      (error) => toFault(error).report() as unknown as JsonObject,
    );
}

test('a classifier given as a command makes the tone of an agent measurable', async () => {
  expect(await call('mail.send', 'you fool')).toMatchObject({ notices: ['the tone is rude'] });
  expect(await call('mail.send', 'dear Sir')).not.toHaveProperty('notices');
  expect(await workspace.run('compliance', 'ada')).toMatchObject({
    agents: [{ agent: 'agent:ada', steps: 2, soft: 1, episodes: 1, unrecovered: 0 }],
  });
});

test('a drifting agent is paused until a person accepts its behaviour', async () => {
  for (let index = 0; index < 25; index++) await call('note.add', `password ${index}`);
  expect(await workspace.run('drift', 'ada')).toMatchObject({ agents: [{ level: 'warn' }] });
  expect(await call('note.add', 'hello')).toMatchObject({ details: { rule: 'drift.pause' } });
  const own = await asAgent(workspace, 'ada').call('GET /v1/drift', { query: {} });
  expect(own.agents).toMatchObject([{ agent: 'agent:ada', level: 'warn' }]);
  const accepted = await workspace.run('drift', 'accept', 'ada', '--reason', 'looked at it');
  expect(accepted).toMatchObject({ agent: 'agent:ada', level: 'normal' });
  expect(await call('note.add', 'hello')).toMatchObject({ status: 'committed' });
});

test('an agent sees only itself, and an unknown agent is an error', async () => {
  const compliance = await asAgent(workspace, 'ada').call('GET /v1/compliance', {
    query: { agent: 'agent:bob' },
  });
  expect(compliance.agents.map(({ agent }) => agent)).toEqual(['agent:ada']);
  expect(await workspace.surety('drift', 'nobody', '--json')).toMatchObject({ code: 1 });
});
