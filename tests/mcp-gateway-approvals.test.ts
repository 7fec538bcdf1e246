import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiLimits } from '../src/http/limits.ts';
import { call, connectGateway, type Revision, revisions } from './harness/mcp/gateway-client.ts';
import { effectsOf, openGateway } from './harness/mcp/gateway-workspace.ts';
import { modernCall, type RawCall } from './harness/mcp/modern-call.ts';
import type { Workspace } from './harness/workspace.ts';

const text = { type: 'string', maxLength: 40 };
const refund = {
  type: 'object',
  required: ['orderId', 'amount'],
  properties: { orderId: text, amount: { type: 'integer', minimum: 1, maximum: 1_000_000 } },
};

const policy = {
  version: 1,
  tools: {
    'refund.issue': {
      effect: 'mutating',
      arguments: refund,
      governance: { approval: { role: 'approver', within: '1h', elicited: true } },
    },
    promises: {
      effect: 'mutating',
      arguments: { type: 'object', required: ['keep'], properties: { keep: { type: 'boolean' } } },
      governance: { approval: { role: 'approver', within: '1h' } },
    },
  },
  agents: { ada: { tools: ['*'] }, eve: { tools: ['*'] }, ian: { tools: ['*'] } },
};

/** Alice may approve, and sits with ada. Bob sits with eve, and may not. Nobody sits with ian. */
const people = {
  alice: { roles: ['approver'], clients: ['ada'] },
  bob: { roles: ['viewer'], clients: ['eve'] },
};

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openGateway({ policy, config: { people } });
});
afterAll(() => workspace[Symbol.asyncDispose]());

type Elicited = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> };

/** A client whose person answers like this, and the questions that it was asked. */
async function answering(agent: string, revision: Revision, answer: Elicited) {
  const asked: string[] = [];
  const client = await connectGateway(workspace, agent, revision, {
    capabilities: { elicitation: {} },
    prepare: (one: Client) =>
      one.setRequestHandler('elicitation/create', async ({ params }) => {
        asked.push(params.message);
        return answer;
      }),
  });
  return { client, asked };
}

const yes: Elicited = { action: 'accept', content: { approve: true } };
const held = { refused: true, value: { code: 'PROPOSAL_HELD' } };

async function lastAnswer(approval: string): Promise<unknown> {
  const query = { from: 1, limit: apiLimits.apiPageEntriesMax };
  const { entries } = await workspace.client().call('GET /v1/entries', { query });
  return entries.findLast(({ body }) => {
    return 'elicitedAt' in body && body.approval === approval;
  });
}

async function approvalsOf(orderId: string): Promise<string[]> {
  const { approvals } = await workspace.client().call('GET /v1/approvals', {});
  return approvals
    .filter(({ arguments: given }) => JSON.stringify(given).includes(orderId))
    .map(({ approval }) => approval);
}

// proves: mcp.approval
describe.each(revisions)('a held call of a %s client', (revision) => {
  test('asks the person at the client, and the ledger records who approved it', async () => {
    const wish = { orderId: `yes-${revision}`, amount: 20_000 };
    const silent = await connectGateway(workspace, 'ada', revision);
    const before = await call(silent, 'refund.issue', wish);
    expect(before).toMatchObject(held);
    const { client, asked } = await answering('ada', revision, yes);
    expect(await call(client, 'refund.issue', wish)).toMatchObject({ refused: false, value: wish });
    expect(asked).toEqual([expect.stringContaining(`"orderId":"yes-${revision}"`)]);
    expect(effectsOf(workspace)).toContain(`refund yes-${revision} 20000`);
    expect(await lastAnswer(String(before.value.approval))).toMatchObject({
      kind: 'approval-given',
      actor: 'person:alice',
      body: { elicitedAt: 'agent:ada', role: 'approver' },
    });
  });

  test('that the person at the client declines is denied and not asked again', async () => {
    const wish = { orderId: `no-${revision}`, amount: 20_000 };
    const { client, asked } = await answering('ada', revision, { action: 'decline' });
    for (let index = 0; index < 2; index++) {
      expect(await call(client, 'refund.issue', wish)).toMatchObject({
        refused: true,
        value: { code: 'PROPOSAL_DENIED', rule: 'approval' },
      });
    }
    expect(asked).toHaveLength(1);
    expect(effectsOf(workspace).filter((line) => line.includes('no-'))).toEqual([]);
  });

  test('whose question the person closes still waits for surety approve', async () => {
    const wish = { orderId: `later-${revision}`, amount: 20_000 };
    const { client, asked } = await answering('ada', revision, { action: 'cancel' });
    const answer = await call(client, 'refund.issue', wish);
    expect(answer).toMatchObject(held);
    expect(answer.text).toContain('surety approve');
    expect(asked).toHaveLength(1);
    expect(await approvalsOf(wish.orderId)).toEqual([answer.value.approval]);
  });

  test.each<[string, string, string, object]>([
    [
      'the person at the client may not approve',
      'eve',
      'refund.issue',
      { orderId: 'e', amount: 1 },
    ],
    ['no person is configured for the client', 'ian', 'refund.issue', { orderId: 'i', amount: 1 }],
    ['the contract does not allow it', 'ada', 'promises', { keep: true }],
  ])('asks nobody at the client when %s', async (_, agent, tool, given) => {
    const { client, asked } = await answering(agent, revision, yes);
    expect(await call(client, tool, { ...given })).toMatchObject(held);
    expect(asked).toEqual([]);
  });
});

describe('the state of a held call', () => {
  const wish = { orderId: 'state', amount: 20_000 };
  const capabilities = { elicitation: {} };
  const plain: RawCall = { name: 'refund.issue', arguments: wish, capabilities };
  const inputResponses = { approval: { action: 'accept', content: { approve: true } } };

  test('is valid once, for this call of this agent only', async () => {
    const asked = await modernCall(workspace, 'ada', plain);
    expect(asked.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { approval: { method: 'elicitation/create' } },
    });
    const requestState = String(asked.result?.requestState);
    const more = { inputResponses, requestState };
    const refused = { error: { code: -32602, data: { code: 'CALL_STATE_UNKNOWN' } } };
    const flipped = requestState.slice(0, -1) + (requestState.endsWith('A') ? 'B' : 'A');
    const forged: [string, RawCall][] = [
      ['ada', { ...plain, more: { ...more, requestState: flipped } }],
      ['ada', { ...plain, more: { ...more, requestState: `${requestState}-` } }],
      ['ada', { ...plain, more, arguments: { ...wish, amount: 20_001 } }],
      ['ada', { ...plain, more, name: 'promises', arguments: { keep: true } }],
      ['eve', { ...plain, more }],
    ];
    for (const [agent, one] of forged) {
      expect(await modernCall(workspace, agent, one)).toMatchObject(refused);
    }
    expect(effectsOf(workspace)).not.toContain('refund state 20000');
    expect(await modernCall(workspace, 'ada', { ...plain, more })).toMatchObject({
      result: { structuredContent: wish },
    });
    expect(await modernCall(workspace, 'ada', { ...plain, more })).toMatchObject(refused);
    expect(effectsOf(workspace).filter((line) => line === 'refund state 20000')).toHaveLength(1);
  });

  test('does not let unrequested answers approve anything', async () => {
    const other = { orderId: 'unasked', amount: 20_000 };
    const unasked = { ...plain, arguments: other, more: { inputResponses } };
    expect(await modernCall(workspace, 'ada', unasked)).toMatchObject({
      result: { resultType: 'input_required' },
    });
    expect(effectsOf(workspace)).not.toContain('refund unasked 20000');
  });
});
