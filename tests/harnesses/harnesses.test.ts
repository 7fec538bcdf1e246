import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Scratch } from '../harness/scratch.ts';
import { git, makeSmallSystem, type SmallSystem } from '../harness/systems/small-system.ts';
import { coderClient, steps } from '../harness/systems/task-walk.ts';
import { findHarness, type HarnessProgram, harnessNames } from './harness-programs.ts';
import { type ModelScript, ModelServer } from './model-server.ts';

const policy = `version: 1
mode: enforce
include: [pack:coding-agent]
agents:
  coder: { roles: [coding-agent], tools: [task.open, test.submit] }
coding:
  writes: [.]
  rules: { edit-untested: deny, unverified-push: hold }
`;

const config = `policy: policy.yaml
suites:
  flow: { command: node flow.mjs, measured: false }
tests: { command: node, measured: false }
`;

const flow = `const headers = JSON.parse(process.env.HEADERS);
const { version, next } = await (await fetch(process.env.BASE_URL, { headers })).json();
console.log(JSON.stringify({ check: 'both answer', passed: !!version && !!next?.version }));
`;

const asked = process.env.SURETY_TEST_HARNESSES !== undefined;

/** Real harnesses from npm, with the model on loopback. `npm run test:harnesses` installs them. */
describe.skipIf(!asked).each(harnessNames)('%s with the hook of Surety', (name) => {
  let system: SmallSystem;
  let program: HarnessProgram;
  let outside: string;
  let remote: string;

  beforeAll(async () => {
    program = findHarness(name);
    system = await makeSmallSystem(config);
    const { root } = system.workspace;
    outside = new Scratch().path;
    remote = new Scratch().path;
    git(remote, 'init', '--quiet', '--bare', '--initial-branch=main');
    writeFileSync(join(outside, 'kept'), '');
    mkdirSync(join(root, 'tests', 'stale'), { recursive: true });
    writeFileSync(join(root, 'flow.mjs'), flow);
    writeFileSync(join(root, 'policy.yaml'), policy);
    writeFileSync(
      join(root, '.gitignore'),
      '.surety/\n.codex/\n.gemini/\n.opencode/\nopencode.json\n',
    );
    git(root, 'add', '--all');
    git(root, 'commit', '--quiet', '--amend', '--no-edit');
    git(root, 'remote', 'add', 'origin', remote);
    await system.workspace.up();
    await system.workspace.run('system', 'up');
    program.prepare(root);
    await system.workspace.run('hook', 'add', name, '--agent', 'coder', '--yes');
  });
  afterAll(() => system?.workspace[Symbol.asyncDispose]());

  /** One session of the harness; returns what the model was told after each tool call. */
  async function session(script: ModelScript): Promise<readonly string[]> {
    await using server = new ModelServer(script);
    const address = await server.listen();
    await program.run(system.workspace.root, address);
    return server.answers;
  }

  const runs =
    (command: string): ModelScript =>
    (answer) =>
      answer === null ? { command } : { text: 'done' };

  test('a deletion outside of the project is denied, and the next turn follows the remedy', async () => {
    const answers = await session((answer, turn) => {
      if (answer === null) return { command: `rm -r ${outside}/kept` };
      const isTold = answer.includes('Delete only below: .');
      return isTold && turn === 1 ? { command: 'rm -r tests/stale' } : { text: 'done' };
    });
    expect(answers[0]).toContain('it deletes outside of the project');
    expect(existsSync(join(outside, 'kept'))).toBe(true);
    expect(existsSync(join(system.workspace.root, 'tests', 'stale'))).toBe(false);
  });

  test('an edit is refused before a failing test, and runs after one', async () => {
    const { root } = system.workspace;
    const edit = runs('sed -i s/one/two/ back.mjs');
    const [refused] = await session(edit);
    expect(refused).toContain('before a failing test');
    expect(readFileSync(join(root, 'back.mjs'), 'utf8')).toContain("'one'");
    const agent = coderClient(system.workspace);
    const { task } = await agent.call('POST /v1/tasks', { body: { goal: 'answer two' } });
    await steps.test(agent, task);
    await session(edit);
    expect(readFileSync(join(root, 'back.mjs'), 'utf8')).toContain("'two'");
  });

  test('a push is held without a verdict, and runs after surety verify', async () => {
    const { root } = system.workspace;
    await session(runs('git commit --quiet --all --message two'));
    const push = runs('git push --quiet origin main');
    const [held] = await session(push);
    expect(held).toContain('it pushes what was not verified');
    expect(git(remote, 'for-each-ref')).toBe('');
    const verdict = await system.workspace.surety('verify', '--ref', 'HEAD');
    expect(verdict.value).toMatchObject({ verdict: 'pass' });
    await session(push);
    expect(git(remote, 'rev-parse', 'main')).toBe(git(root, 'rev-parse', 'HEAD'));
  });
});
