import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDirectory, openTestGate, removeDirectory, type TestGate } from './gate.fixture.ts';
import { compilePolicy, type PolicyDocument } from './language/index.ts';
import { policyContent } from './policy-content.ts';

let directory: string;
let gate: TestGate;
beforeEach(() => {
  directory = makeDirectory();
});
afterEach(async () => {
  await gate.close();
  removeDirectory(directory);
});

const tools = { 'user.set': async () => 'done' };

function policy(more: Partial<PolicyDocument> = {}): PolicyDocument {
  const password = { type: 'string', maxLength: 40 };
  const given = { type: 'object', required: ['password'], properties: { password } };
  return {
    version: 1,
    tools: { 'user.set': { effect: 'idempotent', arguments: given } },
    agents: { ada: { tools: ['user.set'] } },
    ...more,
  } as PolicyDocument;
}

const setUser = (password: string) => ({
  actor: 'agent:ada' as const,
  tool: 'user.set',
  arguments: { password },
});

async function reopen(): Promise<void> {
  await gate.close();
  gate = await openTestGate({ directory, tools });
}

describe('a policy stored in the ledger', () => {
  test('is read back unchanged even with an argument named password', async () => {
    gate = await openTestGate({ directory, policy: policy(), tools });
    const { hash, document } = gate.policies.current ?? {};
    await reopen();
    expect(gate.policies.current).toMatchObject({ hash, document });
    expect(await gate.propose(setUser('x'))).toMatchObject({ status: 'committed' });
  });

  test('may contain adjacent values that look like a secret when joined', async () => {
    const variables = { a: 'http://shop:80', b: 'ops@shop' };
    gate = await openTestGate({ directory, policy: policy({ variables }), tools });
    await reopen();
    expect(gate.policies.current?.document.variables).toEqual(variables);
  });

  test('is readable in the older form of an object', async () => {
    gate = await openTestGate({ directory, tools });
    const variables = { limit: 1 };
    const agents = { ada: { tools: [] } };
    const { hash, mode, document } = compilePolicy({ version: 1, variables, agents });
    const contents = [{ name: 'policy', subject: `policy:${hash}`, value: document }];
    await gate.ledger.append({
      kind: 'policy-adopted',
      actor: 'person:ada',
      body: { hash, mode },
      contents,
    });
    await gate.policies.reload();
    expect(gate.policies.current?.hash).toBe(hash);
  });

  test('allows nothing when it does not match its hash', async () => {
    gate = await openTestGate({ directory, policy: policy(), tools });
    const hash = 'f'.repeat(64);
    await gate.ledger.append({
      kind: 'policy-adopted',
      actor: 'person:ada',
      body: { hash, mode: 'enforce' },
      contents: [policyContent(compilePolicy(policy()))],
    });
    await reopen();
    expect([gate.policies.hash, gate.policies.current]).toEqual([hash, null]);
    await expect(gate.propose(setUser('x'))).rejects.toMatchObject({ code: 'PROPOSAL_DENIED' });
    const { seq } = await gate.ledger.head();
    const adopted = (await gate.ledger.entries(1, seq)).findLast(
      ({ kind }) => kind === 'policy-adopted',
    );
    await expect(gate.policies.find(hash, adopted?.seq ?? 0)).rejects.toMatchObject({
      code: 'POLICY_NOT_KEPT',
    });
  });

  test('with a secret is not adopted and not written', async () => {
    gate = await openTestGate({ directory, tools });
    const before = await gate.ledger.head();
    const secret = policy({ variables: { clientSecret: 'abc' } });
    await expect(gate.adopt(secret)).rejects.toMatchObject({
      code: 'POLICY_INVALID',
      message: expect.stringContaining('variables.clientSecret'),
    });
    expect(await gate.ledger.head()).toEqual(before);
  });
});
