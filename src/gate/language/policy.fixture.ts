import { isFault, type JsonObject } from '../../kernel/index.ts';
import type { CompiledContract, CompiledPolicy } from './compile/compiled.ts';
import { parsePolicy } from './sources/load.ts';

/** A policy that uses every feature of the language. */
export const refundPolicy = `version: 1
mode: enforce
variables: { threshold: 10000 }
environments:
  production: { variables: { threshold: 5000 } }
tools:
  order.get:
    effect: read
    arguments: {type: object, required: [id], properties: {id: {type: string, maxLength: 40}}}
    result: {type: object, required: [status, total], properties: {status: {type: string, maxLength: 20}, total: {type: integer, minimum: 0}}}
    produces: [ {evidence: order-verified, subject: arguments.id, when: result.status == "delivered"} ]
  refund.find:
    effect: read
    arguments: {type: object, required: [key], properties: {key: {type: string, maxLength: 100}}}
    result: {type: object, properties: {status: {type: string, maxLength: 20}}}
  refund.cancel:
    effect: idempotent
    arguments: {type: object, required: [orderId], properties: {orderId: {type: string, maxLength: 40}}}
  refund.issue:
    description: Pays an amount of an order back.
    effect: mutating
    arguments: {type: object, required: [orderId, amount], properties: {orderId: {type: string, maxLength: 40}, amount: {type: integer, minimum: 1, maximum: 40000}}}
    result: {type: object, required: [amount], properties: {amount: {type: integer, minimum: 0}}}
    run: {http: {method: POST, url: "\${PAYMENTS_URL}/refunds", headers: {authorization: "Bearer \${PAYMENTS_TOKEN}"}}}
    reads: { order: { tool: order.get, with: { id: arguments.orderId } } }
    preconditions: [ {rule: delivered, that: reads.order.status == "delivered", message: It is on its way., remedy: Wait for it.} ]
    invariants:
      - {rule: within-order, that: arguments.amount <= reads.order.total}
      - rule: looked-first
        that: trajectory.exists(step, step.tool == "order.get" && step.outcome == "committed")
        soft: true
    results: [ {rule: same-amount, that: result.amount == arguments.amount} ]
    resources: ['"order/" + arguments.orderId']
    governance:
      key: arguments.orderId
      keyFor: 90d
      cost: { money: arguments.amount }
      actualCost: { money: result.amount }
      evidence: [ {kind: order-verified, subject: arguments.orderId, freshFor: 10m} ]
      approval: { when: arguments.amount > vars.threshold, role: approver, within: 2h }
      rate: [ {max: 10, per: 1m} ]
      concurrency: { max: 4, lock: '"order/" + arguments.orderId', lease: 60s }
      timeout: 20s
    recovery:
      stepsMax: 4
      steps:
        - reconcile: {read: refund.find, with: {key: key}, committed: read.status == "paid", failed: read.status == "none"}
        - retry: {times: 2, backoff: 300ms}
        - compensate: {tool: refund.cancel, with: {orderId: arguments.orderId}, when: outcome.status == "unknown"}
        - hold: {reason: The refund of an order is in doubt.}
roles:
  support: { tools: ["order.*"], resources: ["order/*"] }
agents:
  ada:
    roles: [support]
    tools: [refund.issue]
    constraints: { refund.issue: [ {rule: small, that: arguments.amount <= 5000} ] }
    budgets: [ {dimension: money, limit: 50000, per: 1d}, {dimension: calls, limit: 1000} ]
budgets: [ {dimension: money, limit: 1000000, per: 1d} ]
`;

export const refundEnvironment = { PAYMENTS_URL: 'http://payments', PAYMENTS_TOKEN: 'secret' };

export function parse(text: string, options: Partial<Parameters<typeof parsePolicy>[1]> = {}) {
  return parsePolicy(text, { path: 'policy.yaml', ...options });
}

/** The refund policy with one replacement, which must match. */
export function refundWith(before: string, after: string): string {
  if (!refundPolicy.includes(before)) throw new Error(`the fixture has no ${before}`);
  return refundPolicy.replace(before, () => after);
}

/** The mistakes of a policy, one line each, without indentation. */
export function mistakesOf(load: () => unknown): string[] {
  try {
    load();
  } catch (error) {
    if (!isFault(error, 'POLICY_INVALID')) throw error;
    return String(error.values.mistakes)
      .split('\n')
      .map((line) => line.trim());
  }
  return [];
}

export function contractOf(policy: CompiledPolicy, tool: string): CompiledContract {
  const contract = policy.contracts.get(tool);
  if (!contract) throw new Error(`there is no contract for ${tool}`);
  return contract;
}

/** A policy with one tool `t` whose arguments have this schema. */
export function toolWith(schema: object, more: object = {}): JsonObject {
  const contract = { effect: 'read', arguments: schema, ...more } as JsonObject;
  return { version: 1, tools: { t: contract } };
}
