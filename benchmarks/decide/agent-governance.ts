import { PolicyEngine } from '@microsoft/agent-governance-sdk';
import { stringify } from 'yaml';
import type { Decider } from './contender.ts';
import { conditions, type Rule } from './rules.ts';

/** Microsoft's Agent Governance Toolkit: a policy in YAML, default deny. */
export function openAgentGovernance(rules: readonly Rule[]): Decider {
  const engine = new PolicyEngine();
  engine.loadYaml(stringify(policy(rules)));
  return {
    name: 'Agent Governance Toolkit 4.0',
    decide(tool, args) {
      return engine.evaluatePolicy('did:agent:bench', { tool, args }).allowed ? 'allow' : 'deny';
    },
  };
}

function policy(rules: readonly Rule[]): object {
  const allows = conditions(rules, soundText, ' and ').map(([tool, condition]) => ({
    name: tool,
    condition: `tool == '${tool}' and ${condition}`,
    ruleAction: 'allow',
  }));
  return { name: 'bench', default_action: 'deny', rules: allows };
}

function soundText(rule: Rule): string {
  switch (rule.kind) {
    case 'amount-most':
      return `args.amount <= ${rule.limit}`;
    case 'currency-among':
      return `args.currency in ['${rule.currencies.join("', '")}']`;
    case 'region-other':
      return `args.region != '${rule.region}'`;
    case 'quantity-least':
      return `args.quantity >= ${rule.limit}`;
  }
}
