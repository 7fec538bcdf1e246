import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Client } from '../src/http/index.ts';
import { isFault, type Json, type JsonObject } from '../src/kernel/index.ts';
import { isDeep } from './harness/deep.ts';
import { asAgent } from './harness/mcp/agent-token.ts';
import { until } from './harness/until.ts';
import { whenTestEnds } from './harness/when-test-ends.ts';
import { Workspace } from './harness/workspace.ts';

interface Goal {
  readonly tool: string;
  readonly arguments: JsonObject;
}

interface Refusal {
  readonly evidenceNeeded?: readonly { readonly tools: readonly string[] }[];
  readonly retryAt?: number;
  readonly approval?: string;
  readonly final?: boolean;
  readonly rules?: readonly { readonly rule: string; readonly remedy: string }[];
}

interface Contract {
  readonly tool: string;
  readonly schema: { readonly properties?: Record<string, object>; readonly required?: string[] };
}

/**
 * Knows its goal and what a refusal looks like, and nothing of orders, refunds or budgets. What it
 * does is in the answers: evidence that is missing, a time, a call named in a remedy, an approval.
 */
class RemedyFollower {
  readonly steps: string[] = [];
  readonly #client: Client;
  readonly #contracts: readonly Contract[];
  readonly #askPerson: (approval: string) => Promise<void>;

  constructor(
    client: Client,
    contracts: readonly Contract[],
    askPerson: (approval: string) => Promise<void>,
  ) {
    this.#client = client;
    this.#contracts = contracts;
    this.#askPerson = askPerson;
  }

  async reach(goal: Goal): Promise<Json> {
    for (let turn = 0; turn < 20; turn++) {
      try {
        const answer = await this.#client.call('POST /v1/proposals', { body: goal as never });
        this.steps.push(`${goal.tool} ${answer.status}`);
        return answer as Json;
      } catch (error) {
        if (!isFault(error)) throw error;
        this.steps.push(`${goal.tool} refused`);
        const refusal = (error.details ?? {}) as unknown as Refusal;
        if (refusal.final || !(await this.#follow(refusal, goal))) throw error;
      }
    }
    throw new Error('the remedies lead nowhere');
  }

  async #follow(refusal: Refusal, goal: Goal): Promise<boolean> {
    const makers = refusal.evidenceNeeded?.map(({ tools }) => tools[0]) ?? [];
    const named = (refusal.rules ?? []).map(({ remedy }) => this.#toolIn(remedy));
    const next = [...makers, ...named].find((tool) => tool !== undefined && tool !== goal.tool);
    if (next) {
      await this.reach({ tool: next, arguments: this.#argumentsFor(next, goal) });
      return true;
    }
    if (refusal.approval) {
      this.steps.push('asked a person');
      await this.#askPerson(refusal.approval);
      return true;
    }
    if (refusal.retryAt === undefined) return false;
    this.steps.push('waited');
    await delay(Math.max(0, refusal.retryAt - Date.now()) + 10);
    return true;
  }

  #toolIn(remedy: string): string | undefined {
    return this.#contracts.find(({ tool }) => remedy.includes(`Call ${tool} `))?.tool;
  }

  /** What the goal has under the same name, or else the first text that it has. */
  #argumentsFor(tool: string, goal: Goal): JsonObject {
    const { schema } = this.#contracts.find((one) => one.tool === tool) as Contract;
    const names = schema.required ?? [];
    const texts = Object.values(goal.arguments).filter((value) => typeof value === 'string');
    return Object.fromEntries(
      names.map((name): [string, Json] => [name, goal.arguments[name] ?? texts[0] ?? '']),
    );
  }
}

/** A shop that answers what it is asked. */
async function startShop(): Promise<string> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const body = text === '' ? {} : JSON.parse(text);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ status: 'delivered', total: 30_000, ...body }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(async () => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const policy = (shop: string): string => `version: 1
tools:
  customer.verify:
    effect: read
    arguments: {type: object, required: [customer], properties: {customer: {type: string, maxLength: 40}}}
    run: {http: {method: GET, url: "${shop}/customers/{customer}"}}
  order.get:
    effect: read
    arguments: {type: object, required: [orderId], properties: {orderId: {type: string, maxLength: 40}}}
    run: {http: {method: GET, url: "${shop}/orders/{orderId}"}}
    produces: [{evidence: order-seen, subject: arguments.orderId}]
  refund.issue:
    effect: mutating
    arguments:
      type: object
      required: [orderId, customer, amount]
      properties:
        orderId: {type: string, maxLength: 40}
        customer: {type: string, maxLength: 40}
        amount: {type: integer, minimum: 1}
    run: {http: {method: POST, url: "${shop}/refunds"}}
    reads: {order: {tool: order.get, with: {orderId: arguments.orderId}}}
    preconditions: [{rule: delivered, that: reads.order.status == "delivered"}]
    invariants:
      - rule: verified
        that: '"customer.verify" in seen'
        message: Nobody made sure who asks.
        remedy: Call customer.verify first.
    governance:
      key: arguments.orderId
      cost: {money: arguments.amount}
      evidence: [{kind: order-seen, subject: arguments.orderId, freshFor: 10m}]
      approval: {when: arguments.amount > 1000, role: approver, within: 1h}
      rate: [{max: 1, per: 2s}]
agents:
  ada: {tools: ["*"], budgets: [{dimension: money, limit: 100000}]}
`;

// proves: gate.remedies
// follows: PROPOSAL_DENIED, PROPOSAL_HELD
test.runIf(isDeep)(
  'an agent that follows only the remedies gets from a denial to a commit',
  async () => {
    await using workspace = new Workspace({ config: 'policy: policy.yaml\n' });
    writeFileSync(join(workspace.root, 'policy.yaml'), policy(await startShop()));
    await workspace.up();
    const client = asAgent(workspace, 'ada');
    const { contracts } = await client.call('GET /v1/contracts', {});
    const agent = new RemedyFollower(
      client,
      contracts as unknown as Contract[],
      async (approval) => {
        await workspace.run('approve', approval, '--yes', '--reason', 'looked at it');
      },
    );

    const first = { orderId: 'o1', customer: 'c1', amount: 500 };
    expect(await agent.reach({ tool: 'refund.issue', arguments: first })).toMatchObject({
      status: 'committed',
      value: { amount: 500 },
    });
    expect(agent.steps).toEqual([
      'refund.issue refused',
      'order.get committed',
      'refund.issue refused',
      'customer.verify committed',
      'refund.issue committed',
    ]);

    agent.steps.length = 0;
    const second = { orderId: 'o2', customer: 'c1', amount: 5_000 };
    expect(await agent.reach({ tool: 'refund.issue', arguments: second })).toMatchObject({
      status: 'committed',
    });
    expect(agent.steps).toContain('asked a person');
    expect(agent.steps.slice(0, 2)).toEqual(['refund.issue refused', 'order.get committed']);

    // On a slow machine the time of the rate may be over before the next is asked for.
    let order = 2;
    await until('one came too soon, and was done when its time had come', async () => {
      const next = { orderId: `o${++order}`, customer: 'c1', amount: 500 };
      await agent.reach({ tool: 'refund.issue', arguments: next });
      return agent.steps.includes('waited');
    });
    expect(agent.steps.at(-1)).toBe('refund.issue committed');

    agent.steps.length = 0;
    const hopeless = { orderId: 'o1', customer: 'c1', amount: -5 };
    await expect(agent.reach({ tool: 'refund.issue', arguments: hopeless })).rejects.toMatchObject({
      code: 'PROPOSAL_DENIED',
    });
    expect(agent.steps).toEqual(['refund.issue refused']);
    expect(await workspace.run('ledger', 'replay')).toMatchObject({ ok: true });
  },
);
