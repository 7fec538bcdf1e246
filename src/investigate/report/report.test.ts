import { expect, test } from 'vitest';
import type { Investigation } from '../api-schema.ts';
import { formatHtml, formatMarkdown } from './index.ts';

const place = {
  ...{ file: 'services/pricing/quote.ts', line: 42, lineBefore: 40, names: ['amount'] },
  ...{ text: 'return { amount };', isNew: false, hunk: 0 },
};
const failing = { types: ['string'], samples: ['15,000.00', '<script>|x'], captures: 15 };
const healthy = { types: ['number'], samples: [15_000], captures: 5 };
const suspect = {
  ...{ commit: 'c0ffee'.repeat(6), base: 'b', services: ['pricing'] },
  ...{ by: 'person:ada', at: 1_000, note: 'as on statements' },
};

const confirmed: Investigation = {
  id: 'inv_1',
  status: 'confirmed',
  question: 'why do <b>trades</b> fail?',
  alert: null,
  incident: null,
  startedAt: 2_000,
  endedAt: 3_000,
  suspect,
  cause: {
    confirmed: true,
    condition: null,
    place,
    separation: {
      expression: 'amount',
      kind: 'type',
      predicate: 'typeof amount is string',
      failing: { held: 15, of: 15 },
      healthy: { held: 0, of: 5 },
    },
    differences: [{ expression: 'amount', predicate: 'typeof amount is string', failing, healthy }],
    effects: [
      {
        ...{ service: 'validation', file: 'classify.ts', line: 18, text: 'x' },
        ...{ expression: 'amount >= LIMIT', failing: { ...failing, samples: [false] }, healthy },
      },
    ],
    checks: [{ suite: 'trade-flow', check: 'is flagged' }],
    missing: null,
  },
  conditions: [],
  hypotheses: [],
  ranking: [{ service: 'pricing', score: 2, moved: 'latency 1 → 2' }],
  timeline: [{ at: 1_000, what: 'promotion of pricing' }],
  blastRadius: { services: ['edge', 'pricing'], checks: 1 },
  owners: ['@pricing'],
  remedy: '-  const amount = format(x);\n',
  unknown: [],
  regression: { id: 'case_1', fails: true, passes: true },
};

test('a report in Markdown names the cause, the evidence, the owner and the remedy', () => {
  const text = formatMarkdown(confirmed);
  for (const part of [
    'typeof amount is string in 100 % (15 of 15) of the failing and in 0 % (0 of 5) of the healthy',
    'services/pricing/quote.ts:42',
    'since c0ffeec0ff',
    '| `amount >= LIMIT` | validation classify.ts:18 | string: false (15) |',
    '- trade-flow: is flagged',
    'Owner: @pricing',
    '```diff\n-  const amount = format(x);',
    'Regression case case_1: fails on the bad version: true',
  ]) {
    expect(text).toContain(part);
  }
});

test('no text of others becomes markup in a report', () => {
  for (const text of [formatMarkdown(confirmed), formatHtml(confirmed)]) {
    expect(text).not.toContain('<b>');
    expect(text).not.toContain('<script>');
  }
  expect(formatMarkdown(confirmed)).toContain('\\|x');
});

// proves: investigate.missing
test('a report without a confirmed cause says what is missing', () => {
  const missing = 'a request that shows the symptom';
  const cause = { ...confirmed.cause, confirmed: false, place: null, separation: null, missing };
  const unknown: Investigation = {
    ...confirmed,
    status: 'unknown',
    cause,
    unknown: [missing],
    suspect: null,
  };
  expect(formatMarkdown(unknown)).toContain(`The cause is unknown. Missing: ${missing}.`);
  expect(formatHtml(unknown)).toContain(`<li>${missing}</li>`);
});
