import type { JsonObject } from '../../src/kernel/index.ts';

const text = { type: 'string', maxLength: 40 };
const object = (properties: JsonObject): JsonObject => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const payArguments = object({
  orderId: text,
  amount: { type: 'integer', minimum: 1, maximum: 1_000_000 },
  currency: { type: 'string', maxLength: 3 },
});
const lookArguments = object({ orderId: text });

/** What every server of this benchmark offers: one tool with an effect, and one that only reads. */
export const tools = [
  { name: 'pay', description: 'Pays back.', inputSchema: payArguments },
  { name: 'look', description: 'Looks an order up.', inputSchema: lookArguments },
] as const;

export type ToolName = (typeof tools)[number]['name'];

/** A contract that does what contracts do: rules, a budget, and a key for what has an effect. */
export const policy = {
  version: 1,
  tools: {
    pay: {
      effect: 'mutating',
      arguments: payArguments,
      invariants: [
        { rule: 'small', that: 'arguments.amount <= 50000' },
        { rule: 'known-currency', that: 'arguments.currency in ["EUR", "USD"]' },
        { rule: 'an-order', that: 'arguments.orderId.startsWith("ord_")' },
      ],
      results: [{ rule: 'same', that: 'result.structuredContent.orderId == arguments.orderId' }],
      governance: { key: 'arguments.orderId', cost: { money: 'arguments.amount' } },
    },
    look: {
      effect: 'read',
      arguments: lookArguments,
      invariants: [{ rule: 'an-order', that: 'arguments.orderId.startsWith("ord_")' }],
    },
  },
  agents: {
    ada: { tools: ['pay', 'look'], budgets: [{ dimension: 'money', limit: 10 ** 15 }] },
  },
};

/** Arguments that were never used before in this process: each is a call of its own. */
export function argumentsOf(tool: ToolName, index: number): JsonObject {
  const orderId = `ord_${index}`;
  return tool === 'look' ? { orderId } : { orderId, amount: 1 + (index % 40_000), currency: 'EUR' };
}
