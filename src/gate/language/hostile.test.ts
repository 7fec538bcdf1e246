import { assert, constantFrom, nat, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import { isFault } from '../../kernel/index.ts';
import { parse, refundPolicy } from './policy.fixture.ts';
import { compilePolicy } from './sources/define.ts';

const pieces = constantFrom(
  ...[
    '',
    '\n',
    '  ',
    ': ',
    '- ',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '|',
    '>',
    '&a ',
    '*a',
    '!!set ',
    '#',
  ],
  ...['null', '1e999', '-0', '.nan', '0x10', '${X}', '\u0000', '\ud800', '\t', '? ', '<<: ', '%'],
  ...['__proto__', 'constructor', 'arguments', '(', ')', '..', '1', 'true', '$ref', '#/$defs'],
);

/** One edit: so many characters at a place give way to a piece. */
const edit = tuple(nat(refundPolicy.length), nat(12), pieces);

function edited([at, length, piece]: [number, number, string]): string {
  return refundPolicy.slice(0, at) + piece + refundPolicy.slice(at + length);
}

test('any text compiles to a policy or is refused with its mistakes', () => {
  assert(
    property(edit, (change) => {
      try {
        const policy = parse(edited(change), { natives: [] });
        expect(compilePolicy(policy.document, { natives: [] }).hash).toBe(policy.hash);
      } catch (error) {
        if (!isFault(error, 'POLICY_INVALID')) throw error;
        expect(error.values.count).toBeGreaterThan(0);
      }
    }),
    { numRuns: runs(30, 5_000) },
  );
});
