import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isDeep } from '../../tests/harness/deep.ts';
import { AgentClient } from '../../tests/harness/mcp/agent-client.ts';
import { Workspace } from '../../tests/harness/workspace.ts';
import { type AgentName, type Agents, driftAway, playSwarm } from './story.ts';

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');

// proves: task.swarm
test('scripted agents work on one system, and each is held to its rules', async () => {
  await using workspace = new Workspace({ config: read('surety.yaml') });
  writeFileSync(join(workspace.root, 'policy.yaml'), read('policy.yaml'));
  await workspace.up();
  const names: readonly AgentName[] = ['lead', 'coder', 'helper', 'grader', 'clerk'];
  // They leave before the workspace does.
  await using clients = new AsyncDisposableStack();
  const connect = async (name: AgentName) =>
    [name, clients.use(await AgentClient.connect(workspace, name))] as const;
  const connected = await Promise.all(names.map(connect));
  const agents = Object.fromEntries(connected) as unknown as Agents;
  const story = await playSwarm(agents);
  expect(story).toMatchObject({ waitedAt: 1, waitedFor: ['agent:coder'] });
  expect(story.withoutFence).toContain('no fence of it was shown');
  expect(story.overspending).toContain('money');
  expect(story.ownGrade).toContain('agent:coder');
  expect(story.join).toMatchObject({
    state: 'met',
    children: [
      { agent: 'agent:coder', state: 'failed' },
      { agent: 'agent:helper', state: 'counted' },
      { agent: 'agent:coder', state: 'counted' },
    ],
  });
  // Some two hundred calls, so only the deep tests make them.
  const clerk = isDeep ? await driftAway(agents.clerk) : null;
  if (clerk) expect(clerk.slowedBy).toContain('approv');
  expect(clerk?.sent ?? 0).toBeLessThan(100);
  const tree = await workspace.run('task', 'tree', story.root);
  expect(tree).toMatchObject({ nodes: [{}, {}, {}, { grade: { accepted: true } }] });
});
