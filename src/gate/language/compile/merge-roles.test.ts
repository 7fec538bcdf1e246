import { describe, expect, test } from 'vitest';
import { gateLimits } from '../../limits.ts';
import type { PolicyDocument } from '../document.ts';
import { compilePolicy } from '../sources/define.ts';
import type { CompiledAgent } from './compiled.ts';

type Agent = NonNullable<PolicyDocument['agents']>[string];
type Role = NonNullable<PolicyDocument['roles']>[string];

/** An agent with these roles, called one, two, three. */
function compile(agent: Agent, ...roles: Role[]): CompiledAgent {
  const names = ['one', 'two', 'three'].slice(0, roles.length);
  const policy = compilePolicy({
    version: 1,
    tools: { 'a.read': { effect: 'read', arguments: { type: 'object' } } },
    roles: Object.fromEntries(names.map((name, index) => [name, roles[index] ?? {}])),
    agents: { ada: { ...agent, roles: names } },
  });
  return policy.agents.get('ada') as CompiledAgent;
}

describe('an agent and its roles', () => {
  test('may use the tools of all roles', () => {
    const { tools, allows } = compile(
      { tools: ['a.*'] },
      { tools: ['b', 'a.*'] },
      { tools: ['c'] },
    );
    expect(tools).toEqual(['a.*', 'b', 'c']);
    expect(['a.x', 'b', 'c', 'd', 'bb'].map(allows)).toEqual([true, true, true, false, false]);
  });

  test('are bound by the constraints of all roles', () => {
    const rule = (name: string) => ({ constraints: { 'a.read': [{ rule: name, that: 'true' }] } });
    const { constraints } = compile(rule('own'), rule('first'), rule('second'));
    expect(constraints.get('a.read')?.map((one) => one.rule)).toEqual(['own', 'first', 'second']);
  });

  test.each<[string, string[] | undefined, (string[] | undefined)[], string[] | null]>([
    ['none gives any', undefined, [undefined], null],
    ['roles add up', undefined, [['a/*'], ['b/*']], ['a/*', 'b/*']],
    ['a silent role widens nothing', undefined, [['a/*'], undefined], ['a/*']],
    ['its own narrow those of its roles', ['a/1*'], [['a/*'], ['b/*']], ['a/1*']],
    ['its own do not widen', ['*'], [['a/*']], ['a/*']],
    ['its own hold without those of a role', ['a/*'], [undefined], ['a/*']],
    ['none at all is none', [], [['a/*']], []],
  ])('are limited to resources: %s', (_, own, given, expected) => {
    const resources = (list: string[] | undefined) => (list ? { resources: list } : {});
    expect(compile(resources(own), ...given.map(resources)).resources).toEqual(expected);
  });

  test('get all budgets, and the smaller of two for the same resource', () => {
    const { budgets } = compile(
      { budgets: [{ dimension: 'money', limit: 9, per: '1d' }] },
      { budgets: [{ dimension: 'money', limit: 5, per: '1d' }] },
      {
        budgets: [
          { dimension: 'money', limit: 6, per: '24h' },
          { dimension: 'money', limit: 7 },
        ],
      },
    );
    expect(budgets).toEqual([
      { dimension: 'money', limit: 5, perMs: 86_400_000 },
      { dimension: 'money', limit: 7, perMs: null },
    ]);
  });

  test('get the smallest limits and all rates', () => {
    const rate = (max: number) => [{ max, per: '1m' }];
    const merged = compile(
      { limits: { sameProposal: 4, rate: rate(60) } },
      { limits: { sameProposal: 2, concurrency: 8, rate: rate(30) } },
      { limits: { concurrency: 9, cycle: 7 } },
    );
    expect(merged.limits).toEqual({
      sameProposal: 2,
      sameError: gateLimits.sameErrorsMax,
      cycle: 7,
      rates: [
        { max: 60, perMs: 60_000 },
        { max: 30, perMs: 60_000 },
      ],
      concurrency: 8,
    });
  });

  test('get default limits when no role sets any', () => {
    expect(compile({}).limits).toEqual({
      sameProposal: gateLimits.sameProposalsMax,
      sameError: gateLimits.sameErrorsMax,
      cycle: gateLimits.cyclesMax,
      rates: [],
      concurrency: null,
    });
  });

  test('get the lowest autonomy', () => {
    expect(compile({}).autonomy).toBe('autonomous');
    expect(compile({ autonomy: 'autonomous' }, { autonomy: 'supervised' }).autonomy).toBe(
      'supervised',
    );
    expect(compile({ autonomy: 'supervised' }, {}, { autonomy: 'read-only' }).autonomy).toBe(
      'read-only',
    );
  });
});
