import { describe, expect, test } from 'vitest';
import type { ServiceSignal } from '../api-schema.ts';
import { hop } from '../compare/recorded.fixture.ts';
import type { ChangeCoverage, UnexecutedCode } from '../line-coverage/api-schema.ts';
import { formatPass, whyUnproven } from './basis.ts';

const unexecuted: UnexecutedCode = {
  file: 'till.ts',
  line: 12,
  end: 12,
  change: 'added',
  text: 'review(order);',
  isLoaded: true,
  function: 'place',
  route: 'POST /orders',
  condition: 'if (amount > 10)',
  request: 'POST /orders',
};

const coverage = (more: Partial<ChangeCoverage>): ChangeCoverage => ({
  status: 'executed',
  lines: 3,
  ran: 3,
  unexecuted: [],
  unexecutedOmitted: 0,
  places: [],
  unknown: [],
  data: [],
  ...more,
});

const partial = coverage({ status: 'partial', ran: 2, unexecuted: [unexecuted] });
const none = coverage({ status: 'none', ran: 0, unexecuted: [unexecuted] });
const unknown = coverage({ status: 'unknown', lines: 0, ran: 0, unknown: ['main.go'] });

const basis = { hops: [], profile: 'quick', signals: [] } as const;

describe('a change that shows nothing bad', () => {
  test.each([
    ['passes if all of it ran', coverage({}), 'inconclusive', false],
    [
      'passes without code',
      coverage({ status: 'no-code', lines: 0, ran: 0 }),
      'inconclusive',
      false,
    ],
    ['passes for a person if a part ran', partial, 'notice', false],
    ['is unproven for an agent if a part ran', partial, 'inconclusive', true],
    ['is unproven for everybody if nothing ran', none, 'notice', true],
    ['passes if nobody recorded what ran', unknown, 'inconclusive', false],
  ] as const)('%s', (_, given, rule, isUnproven) => {
    const why = whyUnproven({ ...basis, coverage: given, unexecuted: rule });
    expect(why !== null).toBe(isUnproven);
  });

  test('names the first place that did not run, and what would reach it', () => {
    expect(whyUnproven({ ...basis, coverage: none, unexecuted: 'notice' })).toBe(
      'nothing got worse, but 0 of 3 changed lines ran: till.ts:12 was run by no request: ' +
        'review(order); (in place; handler of POST /orders; needs if (amount > 10); ' +
        'start from POST /orders, which runs place)',
    );
  });
});

describe('the reason of a pass', () => {
  const signal = (name: string, verdict: ServiceSignal['verdict']): ServiceSignal => ({
    service: 'till',
    signal: name,
    verdict,
    before: 1,
    after: 1,
    ratio: 1,
    interval: { low: 1, high: 1 },
    pairs: 20,
    starts: 1,
    pairsNeeded: null,
  });

  test('says what it stands on, and what was not measured or not decided', () => {
    const signals = [signal('cpu', 'not-worse'), signal('latency', 'inconclusive')];
    const hops = [hop({ from: null }), hop(), hop({ from: null })];
    expect(formatPass('5 checks passed', { ...basis, coverage: partial, hops, signals })).toBe(
      '5 checks passed; 2 of 3 changed lines ran; 2 requests; undecided: latency of till; ' +
        'load and memory growth were not measured (quick)',
    );
    expect(formatPass('5 checks passed', { ...basis, profile: 'full' })).toBe(
      '5 checks passed; 0 requests; cost was not measured',
    );
  });

  test('begins with the missing coverage', () => {
    expect(formatPass('5 checks passed', { ...basis, coverage: unknown })).toMatch(
      /^coverage unknown: 5 checks passed; which changed lines ran is unknown \(main\.go\)/,
    );
  });
});
