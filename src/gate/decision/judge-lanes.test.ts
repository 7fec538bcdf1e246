import { describe, expect, test } from 'vitest';
import type { Actor, JsonObject } from '../../kernel/index.ts';
import { MemoryRows } from '../../ledger/index.ts';
import { compilePolicy } from '../language/index.ts';
import { decide, prepare } from './decide.ts';

const tools = ['lane.open', 'lane.close', 'lane.extend', 'change.propose'];
const policy = compilePolicy({
  version: 1,
  agents: { coder: { tools, resources: ['services/pricing/*'] }, free: { tools } },
});

/** The rules that denied it. */
function refused(actor: Actor, tool: string, facts: JsonObject): string[] {
  const question = {
    actor,
    tool,
    facts,
    arguments: {},
    argumentsHash: 'h',
    task: undefined,
    key: undefined,
    reported: {},
    policy,
    contract: null,
    agent: policy.agents.get(actor.slice('agent:'.length)) ?? null,
    isNative: true,
    reads: {},
    readProblem: null,
  };
  const { said } = decide(prepare(question), new MemoryRows(), 1, 'exec');
  return said.map(({ rule }) => rule);
}

describe('a change', () => {
  test.each<[string, Actor, string[], string[]]>([
    [
      'is allowed inside of the agent’s directories',
      'agent:coder',
      ['services/pricing/main.ts'],
      [],
    ],
    [
      'is denied if one file is outside',
      'agent:coder',
      ['services/pricing/a.ts', 'services/edge/b.ts'],
      ['resources.agent'],
    ],
    [
      'is denied if a path only looks inside',
      'agent:coder',
      ['services/pricing/../edge/b.ts'],
      ['resources.path'],
    ],
    [
      'is denied beside a directory of a similar name',
      'agent:coder',
      ['services/pricing-old/a.ts'],
      ['resources.agent'],
    ],
    ['of an agent without directories is allowed anywhere', 'agent:free', ['anything'], []],
    ['of a person is allowed anywhere', 'person:ada', ['anything'], []],
  ])('%s', (_, actor, files, rules) => {
    expect(refused(actor, 'lane.open', { files })).toEqual(rules);
  });
});

describe('a lane', () => {
  test.each<[string, Actor, string[]]>([
    ['is closed or extended by its owner', 'agent:coder', []],
    ['is not closed or extended by another agent', 'agent:free', ['lane.owner']],
    ['is closed or extended by any person', 'person:ada', []],
    ['is closed by the runtime after its time', 'surety:lanes', []],
  ])('%s', (_, actor, rules) => {
    expect(refused(actor, 'lane.close', { owner: 'agent:coder' })).toEqual(rules);
    expect(refused(actor, 'lane.extend', { owner: 'agent:coder' })).toEqual(rules);
  });
});
