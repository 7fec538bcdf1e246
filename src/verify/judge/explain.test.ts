import { expect, test } from 'vitest';
import type { Verdict } from '../api-schema.ts';
import { hop } from '../compare/recorded.fixture.ts';
import { explain } from './explain.ts';

const evidence = { hops: [hop({ requestId: 'request-1' })], logs: new Set(['orders']) };
const hostWith = (lines: string[]) => ({ host: { findLines: async () => lines } });

test.each(['e', 'request', 'request-2'])(
  'adds no log lines for %s, which is the id of no request',
  async (id) => {
    const verdict = { findings: [{ kind: 'check', requestId: id }] } as unknown as Verdict;
    const { findings } = await explain(verdict, evidence, hostWith(['of others']));
    expect(findings[0]?.logs).toEqual([]);
  },
);

test('puts warnings and errors before other log lines', async () => {
  const lines = [
    'edge  {"level":"info","message":"authorised"}',
    'orders  {"level":"warn","message":"trade failed fraud validation"}',
    'orders  {"level":"info","message":"no terror here"}',
    'pricing  {"level":50,"msg":"no answer"}',
    'fees  Traceback (most recent call last):',
  ];
  const verdict = { findings: [{ kind: 'check', requestId: 'request-1' }] } as unknown as Verdict;
  const { findings } = await explain(verdict, evidence, hostWith(lines));
  expect(findings[0]?.logs).toEqual([lines[1], lines[3], lines[4], lines[0], lines[2]]);
});
