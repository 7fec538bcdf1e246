import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { exampleChange, makeTradingSystem } from './harness/systems/trading-system.ts';
import type { Workspace } from './harness/workspace.ts';

/** Suites trade for 9,960 and for 10,000. */
const movedThreshold = `--- a/services/validation/classify.ts
+++ b/services/validation/classify.ts
@@ -15,5 +15,5 @@
 export function classify(request: ValidationRequest): Classification {
   const { amount } = request;
-  const highValue = amount >= HIGH_VALUE_THRESHOLD;
+  const highValue = amount > HIGH_VALUE_THRESHOLD - 1;
   return { highValue, fraudCheck: highValue ? 'required' : 'not-required' };
 }
`;

describe.runIf(isDeep)('the trading example', () => {
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = await makeTradingSystem();
    await workspace.up();
    await workspace.run('system', 'up');
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  const verify = (patch: string) =>
    workspace.client().call('POST /v1/verdicts', { body: { patch } });

  test('fails with a changed type, and passes when repaired', async () => {
    const failed = await verify(exampleChange('a-amount-as-string'));
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

    const passed = await verify(exampleChange('a-repaired'));
    expect(passed).toMatchObject({ verdict: 'pass', findings: [], reach: { proven: true } });
    expect(await workspace.run('ledger', 'verify')).toMatchObject({ ok: true });
    expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  });

  // proves: verify.variants
  test('fails with a boundary that moved between the amounts of the suites', async () => {
    const { findings } = await verify(movedThreshold);
    expect(findings[0]).toMatchObject({
      kind: 'wire',
      service: 'validation',
      hop: expect.stringMatching(/^pricing → validation POST \/validations, amount = 9999/),
      field: 'highValue',
      before: 'false',
      after: 'true',
      reproduction: expect.stringMatching(/^curl -X POST .*"amount":9999/),
    });
  });

  test('fails with a request that is no longer refused', async () => {
    // A busy machine may need more than the two seconds for which the edge keeps a reply.
    const patient = exampleChange('auth-lost').replace('FRESH_MS = 2_000', 'FRESH_MS = 60_000');
    const { findings } = await verify(patient);
    expect(findings[0]).toMatchObject({
      class: 'security',
      what: 'refusal-lost',
      service: 'edge',
      hop: 'outside → edge GET /trades/(id)',
    });
  });
});
