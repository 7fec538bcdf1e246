import { describe, expect, test } from 'vitest';
import { exampleChange, makeTradingSystem } from './harness/systems/trading-system.ts';

describe('the trading example', () => {
  test('fails with a changed type and a request that is no longer refused, and passes when repaired', async () => {
    await using workspace = await makeTradingSystem();
    await workspace.up();
    await workspace.run('system', 'up');
    const verifyPatch = (patch: string) =>
      workspace.client().call('POST /v1/verdicts', { body: { patch } });
    const verify = (change: string) => verifyPatch(exampleChange(change));

    const failed = await verify('a-amount-as-string');
    expect(failed).toMatchObject({
      verdict: 'fail',
      services: ['pricing'],
      reach: { proven: true },
    });
    expect(failed.findings).toContainEqual(
      expect.objectContaining({
        kind: 'wire',
        hop: 'pricing → validation POST /validations',
        field: 'amount',
        before: 'number',
        after: 'string',
      }),
    );
    const check = failed.findings.find((finding) => finding.kind === 'check');
    expect(check).toMatchObject({ suite: 'trade-flow', expected: true, actual: false });
    expect(check?.path.join('\n')).toMatch(/orders → pricing \(pricing\/lane_\w+\/run_\w+\) 20\d/);

    expect(check?.logs.join('\n')).toContain('trade failed fraud validation');

    // A busy machine may need more than the two seconds for which the edge keeps a reply.
    const patient = exampleChange('auth-lost').replace('FRESH_MS = 2_000', 'FRESH_MS = 60_000');
    const open = await verifyPatch(patient);
    expect(open.findings[0]).toMatchObject({
      class: 'security',
      what: 'refusal-lost',
      service: 'edge',
      hop: 'outside → edge GET /trades/(id)',
    });

    const passed = await verify('a-repaired');
    expect(passed).toMatchObject({ verdict: 'pass', findings: [], reach: { proven: true } });
    expect(await workspace.run('ledger', 'verify')).toMatchObject({ ok: true });
    expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  });
});
