import { seeded } from '../../tests/harness/seeded.ts';
import { type Arguments, holds, type Rule } from './rules.ts';

export interface Proposal {
  readonly tool: string;
  readonly args: Arguments;
  readonly expected: 'allow' | 'deny';
}

const proposalsPerPass = 1_000;
const unknownShare = 0.02;

/**
 * About half are allowed; of the others each breaks one rule, anywhere among those of its tool, or
 * names a tool that nobody declared.
 */
export function makeProposals(rules: readonly Rule[], seed = 7): Proposal[] {
  const random = seeded(seed);
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const byTool = Map.groupBy(rules, ({ tool }) => tool);
  const tools = [...byTool.keys()];
  return Array.from({ length: proposalsPerPass }, () => {
    const declared = pick(tools);
    const own = byTool.get(declared) ?? [];
    const sound = soundArguments(random);
    const args = random() < 0.5 ? sound : { ...sound, ...breaking(pick(own)) };
    const tool = random() < unknownShare ? 'tool_unknown' : declared;
    const isAllowed = tool === declared && own.every((rule) => holds(rule, args));
    return { tool, args, expected: isAllowed ? 'allow' : 'deny' };
  });
}

function soundArguments(random: () => number): Arguments {
  return {
    amount: 1 + Math.floor(random() * 9_999),
    currency: random() < 0.5 ? 'EUR' : 'USD',
    region: `open-${Math.floor(random() * 50)}`,
    quantity: 40 + Math.floor(random() * 60),
  };
}

function breaking(rule: Rule): Partial<Arguments> {
  switch (rule.kind) {
    case 'amount-most':
      return { amount: rule.limit + 1 };
    case 'currency-among':
      return { currency: 'JPY' };
    case 'region-other':
      return { region: rule.region };
    case 'quantity-least':
      return { quantity: rule.limit - 1 };
  }
}
