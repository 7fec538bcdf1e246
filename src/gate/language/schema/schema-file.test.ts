import { describe, expect, test } from 'vitest';
import { DocumentText } from '../../../document/index.ts';
import type { Json, JsonObject } from '../../../kernel/index.ts';
import { refundPolicy, refundWith } from '../policy.fixture.ts';
import { policyJsonSchema } from './schema-file.ts';
import { checkBy } from './schema-validator.ts';
import { walkSchema } from './schema-walk.ts';

const parseYaml = (text: string) => new DocumentText(text).value();
const check = checkBy(policyJsonSchema());

describe('the JSON Schema for editors', () => {
  test('accepts what the loader accepts', () => {
    expect(check(parseYaml(refundPolicy) as Json)).toEqual([]);
  });

  test.each<[string, string, string]>([
    ['an unknown key', 'keyFor: 90d', 'keyfor: 90d'],
    ['a bad duration', 'keyFor: 90d', 'keyFor: 90'],
    ['a bad effect', 'effect: mutating', 'effect: writing'],
    ['two steps in one', '- retry: {times: 2, backoff: 300ms}', '- {retry: {}, hold: {reason: x}}'],
    ['a missing field', 'role: approver, ', ''],
  ])('refuses %s', (_, before, after) => {
    expect(check(parseYaml(refundWith(before, after)) as Json)).not.toEqual([]);
  });

  test('describes every key', () => {
    const bare = [...walkSchema(policyJsonSchema())]
      .filter(({ path }) => path.at(-2) === 'properties')
      .filter(({ schema }) => !(schema as JsonObject).description)
      .map(({ path }) => path.join('.'));
    expect(bare).toEqual([]);
  });
});
