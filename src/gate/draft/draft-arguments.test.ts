import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import type { JsonObject } from '../../kernel/index.ts';
import { compilePolicy } from '../language/index.ts';
import { casesSchema } from '../rehearsal/case-document.ts';
import { runCases } from '../rehearsal/index.ts';
import { draftArguments } from './draft-arguments.ts';
import { PlaceValues } from './place-values.ts';
import { Sketch } from './sketch.ts';

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    '/srv/a/b.txt',
    '/srv/a',
    '/',
    'a/../b',
    '../x',
    'https://a.example/x',
    'about:',
    'SELECT * FROM t;',
    ' insert into t values (1)',
    'DROP TABLE t; SELECT 1',
  ),
);
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);
const value = fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 3 }));
const name = fc.constantFrom(
  'path',
  'files',
  'url',
  'amount',
  'limit',
  'content',
  'query',
  'a-b',
  'id',
);
const member = fc.oneof(value, fc.dictionary(name, value, { maxKeys: 3 }));
const call = fc.dictionary(name, member, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;

// proves: gate.draft
test('a draft accepts every call from which it was made', () => {
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 12 }), (calls) => {
      const sketch = new Sketch();
      for (const given of calls) sketch.add(given);
      const { schema, rules } = draftArguments(sketch.schema(), sketch, new PlaceValues());
      const invariants = rules.map(({ rule, that }) => ({ rule, that }));
      const tools = { tool: { effect: 'mutating', arguments: schema, invariants } };
      const policy = compilePolicy({ version: 1, tools, agents: { ada: { tools: ['tool'] } } });
      const { cases } = casesSchema.parse({
        cases: calls.map((given) => {
          return { name: 'x', actor: 'agent:ada', tool: 'tool', arguments: given, expect: 'allow' };
        }),
      });
      const placed = cases.map((one) => ({ ...one, line: 1 }));
      const wrong = runCases({ agents: {}, cases: placed }, policy, () => false);
      expect(wrong.filter(({ ok }) => !ok).map(({ said }) => said)).toEqual([]);
    }),
    { numRuns: runs(60, 2_000) },
  );
});

function queryPattern(...queries: string[]): unknown {
  const sketch = new Sketch();
  for (const query of queries) sketch.add({ query });
  const { schema } = draftArguments(sketch.schema(), sketch, new PlaceValues());
  return (schema.properties as { query: JsonObject }).query.pattern;
}

test('a draft keeps a query to the statements that were found', () => {
  const found = queryPattern('SELECT 1', 'insert into t values (1);');
  expect(found).toBe('(?i)^\\s*(INSERT|SELECT)\\s[^;]*;?\\s*$');
  expect(queryPattern('SELECT 1', 'weather in Berlin')).toBeUndefined();
  expect(queryPattern('SELECT 1; DROP TABLE t')).toBeUndefined();
});
