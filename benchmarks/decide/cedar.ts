import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import type { Decider } from './contender.ts';
import { conditions, type Rule } from './rules.ts';

const principal = { type: 'Agent', id: 'bench' };
const resource = { type: 'System', id: 'bench' };
let sets = 0;

/** Cedar's own wasm, with the policies parsed once. */
export function openCedar(rules: readonly Rule[]): Decider {
  const preparsedPolicySetId = `bench-${++sets}`;
  const parsed = preparsePolicySet(preparsedPolicySetId, { staticPolicies: policies(rules) });
  if (parsed.type === 'failure') throw new Error(parsed.errors[0]?.message ?? 'Cedar refused');
  return {
    name: 'Cedar wasm 4.13, preparsed',
    decide(tool, args) {
      const answer = statefulIsAuthorized({
        principal,
        action: { type: 'Action', id: tool },
        resource,
        context: { ...args },
        entities: [],
        preparsedPolicySetId,
      });
      if (answer.type === 'failure') throw new Error(answer.errors[0]?.message ?? 'Cedar failed');
      return answer.response.decision;
    },
  };
}

function policies(rules: readonly Rule[]): Record<string, string> {
  const permits = conditions(rules, soundText, ' && ').map(([tool, condition]) => {
    const scope = `(principal, action == Action::"${tool}", resource)`;
    return [tool, `permit ${scope} when { ${condition} };`];
  });
  return Object.fromEntries(permits);
}

function soundText(rule: Rule): string {
  switch (rule.kind) {
    case 'amount-most':
      return `context.amount <= ${rule.limit}`;
    case 'currency-among':
      return `["${rule.currencies.join('", "')}"].contains(context.currency)`;
    case 'region-other':
      return `context.region != "${rule.region}"`;
    case 'quantity-least':
      return `context.quantity >= ${rule.limit}`;
  }
}
