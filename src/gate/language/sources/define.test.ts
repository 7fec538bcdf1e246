import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../kernel/index.ts';
import { sharedLimits } from '../../../kernel/index.ts';
import { mistakesOf, parse, toolWith } from '../policy.fixture.ts';
import { compilePolicy, definePolicy } from './define.ts';

const typescript = definePolicy({
  version: 1,
  variables: { threshold: 100 },
  environments: { production: { variables: { threshold: 50 } } },
  tools: {
    'order.get': {
      effect: 'read',
      arguments: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      governance: { approval: { when: 'vars.threshold > 60', role: 'approver' } },
    },
  },
  agents: { ada: { tools: ['order.get'], budgets: [] } },
  budgets: [],
});

const yaml = `version: 1
agents: {ada: {budgets: [], tools: [order.get]}}
environments: {production: {variables: {threshold: 50}}}
variables: {threshold: 100}
tools:
  order.get:
    governance: {approval: {role: approver, when: vars.threshold > 60}}
    arguments:
      type: object
      properties: {id: {type: string}}
      required: [id]
    effect: read
`;

describe('a policy in TypeScript', () => {
  test('compiles to the same policy as YAML', () => {
    expect(compilePolicy(typescript).hash).toBe(parse(yaml).hash);
    expect(compilePolicy(typescript).document).toEqual(parse(yaml).document);
    const name = 'production';
    expect(compilePolicy(typescript, { name }).hash).toBe(parse(yaml, { name }).hash);
    expect(compilePolicy(typescript, { name }).hash).not.toBe(compilePolicy(typescript).hash);
  });

  test('may have keys that are undefined', () => {
    const policy = compilePolicy({ version: 1, mode: undefined } as unknown as JsonObject);
    expect(policy.hash).toBe(compilePolicy({ version: 1 }).hash);
  });

  test.each<[string, unknown, string]>([
    ['an unknown key', { version: 1, tols: {} }, 'unknown key "tols"'],
    ['a wrong value', { version: 1, mode: 'off' }, 'mode: '],
    ['nothing', undefined, ''],
    ['a list', [], 'it is no object'],
    [
      'an include',
      { version: 1, include: ['a.yaml'] },
      'include: only a policy file can include others',
    ],
    [
      'an expression',
      toolWith({ type: 'object' }, { resources: ['arguments.x'] }),
      'tools.t.resources.0: ',
    ],
    [
      'what is not JSON',
      { version: 1, variables: { a: Number.NaN } },
      'variables.a: use what JSON can hold',
    ],
    ['half a character', { version: 1, variables: { a: '\ud800' } }, 'lone surrogate'],
  ])('with %s is refused', (_, document, expected) => {
    const mistakes = mistakesOf(() => compilePolicy(document as JsonObject));
    expect(mistakes).toEqual([expect.stringContaining(expected)]);
  });

  test('with a circular reference is refused', () => {
    const variables: Record<string, unknown> = {};
    variables.self = variables;
    const document = { version: 1, variables } as unknown as JsonObject;
    expect(mistakesOf(() => compilePolicy(document))).not.toEqual([]);
  });

  test('with an unknown environment is refused', () => {
    const attempt = () => compilePolicy(typescript, { name: 'test' });
    expect(attempt).toThrow('environments: there is no environment test');
  });

  test(`is at most ${sharedLimits.jsonDepthMax} levels deep`, () => {
    // The document, its variables and the variable itself are levels as well.
    const nested = (levels: number): JsonObject =>
      JSON.parse(
        `{"version":1,"variables":{"a":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`,
      );
    expect(mistakesOf(() => compilePolicy(nested(sharedLimits.jsonDepthMax)))).toEqual([]);
    expect(mistakesOf(() => compilePolicy(nested(sharedLimits.jsonDepthMax + 1)))).toHaveLength(1);
    const text = (levels: number) => JSON.stringify(nested(levels));
    expect(mistakesOf(() => parse(text(sharedLimits.jsonDepthMax)))).toEqual([]);
    expect(mistakesOf(() => parse(text(sharedLimits.jsonDepthMax + 1)))).toHaveLength(1);
  });
});
