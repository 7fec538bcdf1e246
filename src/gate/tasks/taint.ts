import type { ReadRows } from '../../ledger/index.ts';

/**
 * What an agent has begun, by tool. Whoever gets a task or a result from an agent may get text from
 * what that agent has read, so it follows: a rule such as "no payment after untrusted input" cannot
 * be evaded by giving the payment to another agent.
 */
export type Taint = Readonly<Record<string, number>>;

/** People and Surety itself have no trajectory; an agent always has. */
export function agentTrajectoryKey(actor: string): string | undefined {
  return actor.startsWith('agent:') ? `trajectory/${actor}` : undefined;
}

/** What these agents have begun. Work on the tree of tasks itself brings no text. */
export function taintOf(rows: ReadRows, agents: readonly string[]): Taint {
  let taint: Taint = {};
  for (const agent of new Set(agents)) {
    const key = agentTrajectoryKey(agent);
    const row = key === undefined ? undefined : rows.get<{ begun: Taint }>(key);
    taint = mergeTaint(taint, row?.begun ?? {});
  }
  return Object.fromEntries(Object.entries(taint).filter(([tool]) => !tool.startsWith('task.')));
}

/** The larger number for each tool: adding them up would count the same call again and again. */
export function mergeTaint(own: Taint, more: Taint): Taint {
  const merged: Record<string, number> = { ...own };
  for (const [tool, times] of Object.entries(more)) {
    merged[tool] = Math.max(times, Object.hasOwn(own, tool) ? (own[tool] as number) : 0);
  }
  return merged;
}

export function taintFact(taint: Taint): { readonly taint?: Taint } {
  return Object.keys(taint).length === 0 ? {} : { taint };
}
