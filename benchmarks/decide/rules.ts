/**
 * Rules about arguments that every contender's language can say. Text length and patterns are not
 * among them: Cedar has no length, and Microsoft's conditions have neither.
 */
export type Rule = { readonly name: string; readonly tool: string } & (
  | { readonly kind: 'amount-most'; readonly limit: number }
  | { readonly kind: 'currency-among'; readonly currencies: readonly string[] }
  | { readonly kind: 'region-other'; readonly region: string }
  | { readonly kind: 'quantity-least'; readonly limit: number }
);

export type Arguments = {
  readonly amount: number;
  readonly currency: string;
  readonly region: string;
  readonly quantity: number;
};

export interface Variant {
  readonly id: 'spread' | 'called' | 'thousand';
  readonly what: string;
  readonly rules: readonly Rule[];
}

export const variants: readonly Variant[] = [
  { id: 'spread', what: '100 rules over 25 tools', rules: makeRules(25, 4) },
  { id: 'called', what: '100 rules on the called tool', rules: makeRules(1, 100) },
  { id: 'thousand', what: '1,000 rules over 250 tools', rules: makeRules(250, 4) },
];

/** As many rules of each kind on each tool, all of them different from one another. */
function makeRules(tools: number, perTool: number): Rule[] {
  return Array.from({ length: tools * perTool }, (_, index) => {
    const tool = `tool_${Math.floor(index / perTool)}`;
    return makeRule(`rule_${index}`, tool, index);
  });
}

function makeRule(name: string, tool: string, index: number): Rule {
  switch (index % 4) {
    case 0:
      return { name, tool, kind: 'amount-most', limit: 10_000 + index };
    case 1:
      return { name, tool, kind: 'currency-among', currencies: ['EUR', 'USD', `X${index}`] };
    case 2:
      return { name, tool, kind: 'region-other', region: `closed-${index}` };
    default:
      return { name, tool, kind: 'quantity-least', limit: 1 + (index % 40) };
  }
}

/** What a rule means, told once more and apart from every contender. */
export function holds(rule: Rule, { amount, currency, region, quantity }: Arguments): boolean {
  switch (rule.kind) {
    case 'amount-most':
      return amount <= rule.limit;
    case 'currency-among':
      return rule.currencies.includes(currency);
    case 'region-other':
      return region !== rule.region;
    case 'quantity-least':
      return quantity >= rule.limit;
  }
}

/**
 * One condition per tool: all of its rules, as some language says them. In every language here that
 * is the fastest form we found, at the price that an answer can't name the rule that was broken.
 */
export function conditions(
  rules: readonly Rule[],
  say: (rule: Rule) => string,
  and: string,
): [tool: string, condition: string][] {
  const byTool = Map.groupBy(rules, ({ tool }) => tool);
  return Array.from(byTool, ([tool, own]) => [tool, own.map(say).join(and)]);
}
