import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentName, type Agents, driftAway, playSwarm } from '../examples/swarm/story.ts';
import { AgentClient } from '../tests/harness/mcp/agent-client.ts';
import { suretyCommand } from '../tests/harness/programs.ts';
import { Workspace } from '../tests/harness/workspace.ts';
import { say } from './steps.ts';

/** `npm run demo:swarm`: five scripted agents over MCP, and the tree of their tasks. */
const example = join(import.meta.dirname, '../examples/swarm');
const read = (name: string): string => readFileSync(join(example, name), 'utf8');
const names: readonly AgentName[] = ['lead', 'coder', 'helper', 'grader', 'clerk'];

say('Setting up: a workspace with its daemon, and five agents …');
await using workspace = new Workspace({ config: read('surety.yaml') });
writeFileSync(join(workspace.root, 'policy.yaml'), read('policy.yaml'));
await workspace.up();
await using clients = new AsyncDisposableStack();
const connect = async (name: AgentName) =>
  [name, clients.use(await AgentClient.connect(workspace, name))] as const;
const agents = Object.fromEntries(await Promise.all(names.map(connect))) as unknown as Agents;

const story = await playSwarm(agents);
say(`\nTwo agents on one service: the helper waited at position ${story.waitedAt}.`);
say(`A restart without the lock: ${story.withoutFence}`);
say(`\nA child that overspends: ${story.overspending}`);
say(`\nThe coder grades its own work: ${story.ownGrade}`);
say('\nsurety task tree:');
const streams = { stdout: process.stdout, stderr: process.stderr };
await suretyCommand(['task', 'tree', story.root, '--directory', workspace.root], streams);
say('\nThe clerk reads notes, and then starts to send mails …');
const { sent, slowedBy } = await driftAway(agents.clerk);
say(`It sent ${sent}. Then: ${slowedBy}`);
