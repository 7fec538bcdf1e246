import type { Immutable } from '../kernel/index.ts';
import type { Ledger, Projection } from '../ledger/index.ts';
import type { ModelUsage } from './api-schema.ts';

const usagePrefix = 'model-usage/';

type UsageRow = Immutable<ModelUsage>;

/** The tokens of each agent, task and model. */
export const modelUsage: Projection = {
  kinds: ['model-called'],
  keys: ({ actor, body }) => [usageKey(actor, body)],
  apply: (rows, { actor, body }) => {
    const key = usageKey(actor, body);
    const before = rows.get<UsageRow>(key);
    const { provider, model, task = null } = body;
    rows.set(key, {
      agent: actor,
      task: task === null ? null : String(task),
      provider: String(provider),
      model: String(model),
      calls: (before?.calls ?? 0) + 1,
      inputTokens: (before?.inputTokens ?? 0) + Number(body.input),
      outputTokens: (before?.outputTokens ?? 0) + Number(body.output),
      uncountedCalls: (before?.uncountedCalls ?? 0) + Number(body.isCounted !== true),
    });
  },
};

function usageKey(actor: string, { task, provider, model }: Readonly<Record<string, unknown>>) {
  const parts = [actor, task ?? '-', provider, model];
  return (
    usagePrefix +
    parts
      .map((part) => encodeURIComponent(String(part)))
      .join('/')
      .slice(0, 380)
  );
}

export async function listModelUsage(ledger: Pick<Ledger, 'rows'>): Promise<UsageRow[]> {
  const rows: UsageRow[] = [];
  for await (const { value } of ledger.rows<UsageRow>(usagePrefix)) rows.push(value);
  return rows;
}
