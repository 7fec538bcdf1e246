import { AuditLogger, PolicyEngine } from '@microsoft/agent-governance-sdk';
import { stringify } from 'yaml';
import { type Latencies, latencies } from './latencies.ts';
import { refund } from './workload.ts';

/** The same rules, and a chained entry; it has neither budgets nor idempotency keys. */
const policy = {
  name: 'bench',
  default_action: 'deny',
  rules: [
    {
      name: 'refunds',
      condition:
        "tool == 'refund.issue' and args.amount <= 50000 and args.currency in ['EUR', 'USD']",
      ruleAction: 'allow',
    },
  ],
};

export function openPeer(perRound: number): Latencies {
  const engine = new PolicyEngine();
  engine.loadYaml(stringify(policy));
  const audit = new AuditLogger();
  let index = 0;
  return latencies(
    'Agent Governance Toolkit 4.0: rules and entry only',
    perRound,
    async () => {
      const { actor, tool, arguments: args } = refund(index++);
      const { allowed } = engine.evaluatePolicy(actor, { tool, args });
      if (!allowed) throw new Error('the peer denied it');
      audit.log({ agentId: actor, action: tool, decision: 'allow' });
    },
    async () => {
      if (!audit.verify()) throw new Error('the peer broke its chain');
    },
  );
}
