import { describe, expect, test } from 'vitest';
import type { Config } from '../../system/index.ts';
import type { Difference } from '../compare/index.ts';
import { foldVariants } from './fold-variants.ts';
import type { Variant } from './variant.ts';

const config = {
  ingress: 'edge',
  services: { edge: { port: 4300, protocol: 'https' } },
} as unknown as Pick<Config, 'services' | 'ingress'>;

const hop = 'outside → edge POST /trades';

function variant(what: string, rank = 0): Variant {
  const headers = [
    ['authorization', 'Bearer hidden'],
    ['content-type', 'application/json'],
  ] as const;
  const body = Buffer.from(JSON.stringify({ note: "it's", what }));
  const request = { method: 'POST', path: '/trades', headers, body, status: 201, answer: null };
  return { what, hop, requests: [request], varied: 1, hasOwnIds: false, rank };
}

function difference(what: string, more: Partial<Difference> = {}): Difference {
  return {
    class: 'contract',
    what: 'value-changed',
    service: 'edge',
    hop: `${hop}, ${what}`,
    place: 'response highValue',
    before: 'false',
    after: 'true',
    examples: { before: false, after: true },
    severity: 'fail',
    confidence: 0.9,
    ...more,
  };
}

function fold(
  differences: readonly Difference[],
  variants: readonly Variant[],
  known: readonly Difference[] = [],
) {
  const below = ` in POST /trades`;
  const named = variants.flatMap((one) => [
    [`${hop}, ${one.what}`, one] as const,
    [`edge → orders POST /trades, ${one.what}${below}`, one] as const,
  ]);
  return foldVariants(differences, { variants: new Map(named), known, config });
}

describe('differences of variants', () => {
  test('are reported once, by the simplest variant, with a request for a shell', () => {
    const folded = fold(
      [difference('amount = 9999.99'), difference('amount = 9999')],
      [variant('amount = 9999.99'), variant('amount = 9999')],
    );
    expect(folded).toHaveLength(1);
    expect(folded[0]).toMatchObject({
      hop: `${hop}, amount = 9999`,
      request:
        "curl -k -X POST 'https://127.0.0.1:4300/trades' -H 'authorization: <authorization>' " +
        `-H 'content-type: application/json' -d '{"note":"it'\\''s","what":"amount = 9999"}'`,
    });
  });

  test('are left out if usual requests show them as well', () => {
    const usual = difference('', { hop, severity: 'notice' });
    const own = [difference('n = 1'), difference('n = 1', { place: 'response other' })];
    expect(fold(own, [variant('n = 1')], [usual])).toMatchObject([{ place: 'response other' }]);
  });

  test.each(['refusal-lost', 'error-answered'])(
    'are consequences of another status, if there is one: %s',
    (status) => {
      const lost = difference('n = -1', { class: 'status', what: status, place: null });
      const call = difference('n = -1', {
        class: 'calls',
        what: 'call-new',
        hop: 'edge → orders POST /trades, n = -1 in POST /trades',
      });
      const folded = fold([call, lost], [variant('n = -1')]);
      expect(folded.map(({ what }) => what)).toEqual([status]);
    },
  );
});
