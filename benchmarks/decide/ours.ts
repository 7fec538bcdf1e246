import { type DecisionInput, decide, prepare } from '../../src/gate/decision/index.ts';
import { compilePolicy, type PolicyDocument } from '../../src/gate/language/index.ts';
import type { JsonObject } from '../../src/kernel/index.ts';
import { MemoryRows } from '../../src/ledger/index.ts';
import type { Decider } from './contender.ts';
import type { Rule } from './rules.ts';

const text = { type: 'string', maxLength: 40 };
const amount = { type: 'integer', minimum: 0, maximum: 1_000_000 };

const schema = {
  type: 'object',
  required: ['amount', 'currency', 'region', 'quantity'],
  properties: { amount, currency: text, region: text, quantity: amount },
};

/**
 * The whole decision: stops, authority, the argument schema, every rule of the called tool (also
 * after one was found broken: it is told, too), loops, and what a denial says.
 */
export function openOurs(rules: readonly Rule[]): Decider {
  const tools: Record<string, object> = {};
  for (const [tool, own] of Map.groupBy(rules, (rule) => rule.tool)) {
    const invariants = own.map((rule) => ({
      rule: rule.name.replace('_', '-'),
      that: soundText(rule),
    }));
    tools[tool] = { effect: 'mutating', arguments: schema, invariants };
  }
  const agents = { ada: { tools: ['tool_*'] } };
  const ask = openDecision({ version: 1, tools, agents } as PolicyDocument);
  return {
    name: 'Surety',
    decide: (tool, args) => (ask(tool, args).verdict === 'allow' ? 'allow' : 'deny'),
  };
}

/** `decide()` with a policy and rows that are all there is. */
export function openDecision(document: PolicyDocument, rows = new MemoryRows()) {
  const policy = compilePolicy(document);
  const agent = policy.agents.get('ada') ?? null;
  const now = 1_800_000_000_000;
  return (tool: string, given: JsonObject, reads: JsonObject = {}, task?: string) => {
    const question: DecisionInput = {
      actor: 'agent:ada',
      tool,
      arguments: given,
      argumentsHash: '0'.repeat(64),
      facts: {},
      task,
      key: undefined,
      reported: {},
      policy,
      contract: policy.contracts.get(tool) ?? null,
      agent,
      isNative: false,
      reads,
      readProblem: null,
    };
    return decide(prepare(question), rows, now, 'prop_1');
  };
}

function soundText(rule: Rule): string {
  switch (rule.kind) {
    case 'amount-most':
      return `arguments.amount <= ${rule.limit}`;
    case 'currency-among':
      return `arguments.currency in ["${rule.currencies.join('", "')}"]`;
    case 'region-other':
      return `arguments.region != "${rule.region}"`;
    case 'quantity-least':
      return `arguments.quantity >= ${rule.limit}`;
  }
}
