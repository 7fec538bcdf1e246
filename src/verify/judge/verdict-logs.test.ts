import { expect, test } from 'vitest';
import type { Verdict } from './verdict.ts';
import { withLogs } from './verdict-logs.ts';

const heard = { requestIds: new Set(['request-1']), logs: new Set(['orders']) };

test.each(['e', 'request', 'request-2'])(
  'nothing is read by what no request had: %s',
  async (id) => {
    const verdict = { findings: [{ kind: 'check', requestId: id }] } as unknown as Verdict;
    const { findings } = await withLogs(verdict, heard, { findLines: async () => ['of others'] });
    expect(findings[0]?.logs).toEqual([]);
  },
);

test('lines that tell of trouble come first, each kind in its order', async () => {
  const lines = [
    'edge  {"level":"info","message":"authorised"}',
    'orders  {"level":"warn","message":"trade failed fraud validation"}',
    'orders  {"level":"info","message":"no terror here"}',
    'pricing  {"level":50,"msg":"no answer"}',
    'fees  Traceback (most recent call last):',
  ];
  const verdict = { findings: [{ kind: 'check', requestId: 'request-1' }] } as unknown as Verdict;
  const { findings } = await withLogs(verdict, heard, { findLines: async () => lines });
  expect(findings[0]?.logs).toEqual([lines[1], lines[3], lines[4], lines[0], lines[2]]);
});
