import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../kernel/index.ts';
import { parsePolicy } from '../sources/load.ts';
import { secretProblems } from './secret-problems.ts';

const pathsIn = (document: JsonObject): string[] =>
  secretProblems(document).map(({ path }) => path.join('.'));
const tool = (contract: JsonObject): JsonObject => ({ tools: { 'user.set': contract } });
const http = (headers: JsonObject): JsonObject => tool({ run: { http: { headers } } });

describe('a policy for the ledger', () => {
  test.each<[string, JsonObject]>([
    ['variables.apiKey', { variables: { apiKey: 'abc' } }],
    ['variables.password', { variables: { password: 1234 } }],
    ['variables.credentials', { variables: { credentials: { user: 'x' } } }],
    ['variables.list.0.secret', { variables: { list: [{ secret: 'x' }] } }],
    ['variables.text', { variables: { text: 'AKIAABCDEFGHIJKLMNOP' } }],
    ['tools.user.set.run.http.headers.authorization', http({ authorization: 'hunter2' })],
    ['tools.user.set.run.http.headers.x-note', http({ 'x-note': 'Bearer abcdefghijkl' })],
    [
      'tools.user.set.arguments.properties.password.default',
      tool({
        arguments: { properties: { password: { default: 'ghp_012345678901234567890123' } } },
      }),
    ],
    [
      'tools.user.set.arguments.examples.0.password',
      tool({ arguments: { examples: [{ password: 'hunter2' }] } }),
    ],
    [
      'tools.user.set.reads.it.with.apiKey',
      tool({ reads: { it: { tool: 'x', with: { apiKey: '"abc"' } } } }),
    ],
    ['tools.sk_live_abcdefgh', { tools: { sk_live_abcdefgh: {} } }],
  ])('is refused with a secret: %s', (path, document) => {
    expect(pathsIn(document)).toEqual([path]);
  });

  test.each<[string, JsonObject]>([
    [
      'the schema of an argument',
      tool({ arguments: { required: ['password'], properties: { password: { type: 'string' } } } }),
    ],
    ['a tool', { tools: { 'vault.secret': {} }, agents: { ada: { tools: ['vault.secret'] } } }],
    ['rules for a tool', { agents: { ada: { constraints: { secret: [{ rule: 'x' }] } } } }],
    ['a header from the environment', http({ authorization: 'Bearer ${PAYMENTS_TOKEN}' })],
    ['an expression', tool({ reads: { it: { with: { password: 'arguments.password' } } } })],
    ['what is read', tool({ reads: { credentials: { tool: 'x', with: {} } } })],
    ['a variable that says nothing', { variables: { password: null, secret: false } }],
  ])('may use a secret-like name for a value that is not secret: %s', (_, document) => {
    expect(pathsIn(document)).toEqual([]);
  });

  test('is refused with the position of the secret in its file', () => {
    const text = 'version: 1\nvariables:\n  clientSecret: abc\n';
    expect(() => parsePolicy(text, { path: 'policy.yaml' })).toThrow(
      expect.objectContaining({
        code: 'POLICY_INVALID',
        message: expect.stringMatching(/policy\.yaml:3:\d+ {2}.*looks like a secret/s),
      }),
    );
  });
});
