import { durationMs } from '../../../kernel/index.ts';
import { gateLimits } from '../../limits.ts';
import type { BudgetDocument } from '../contract-schema.ts';
import type { AgentDocument, RoleDocument } from '../document.ts';
import type { AgentLimits, Autonomy, BudgetLimit, CompiledDrift } from './compiled.ts';
import { mergeDrift } from './merge-drift.ts';
import { narrow } from './patterns.ts';

/** The permissions of an agent and its roles, its own first. */
export interface MergedRoles {
  readonly tools: readonly string[];
  readonly resources: readonly string[] | null;
  /** Resources of the agent that none of its roles has. */
  readonly lost: readonly string[];
  readonly budgets: readonly BudgetLimit[];
  readonly limits: AgentLimits;
  readonly autonomy: Autonomy;
  readonly drift: CompiledDrift | null;
}

export function mergeRoles(agent: AgentDocument, roles: readonly RoleDocument[]): MergedRoles {
  const all: readonly RoleDocument[] = [agent, ...roles];
  return {
    tools: [...new Set(all.flatMap(({ tools }) => tools))],
    ...mergeResources(agent, roles),
    budgets: budgetLimits(all.flatMap(({ budgets }) => budgets)),
    limits: mergeLimits(all),
    autonomy: lowest(all.flatMap(({ autonomy }) => autonomy ?? [])),
    drift: mergeDrift(all),
  };
}

/** A role without resources widens nothing; the agent's own narrow those of its roles. */
function mergeResources(
  { resources: own }: AgentDocument,
  roles: readonly RoleDocument[],
): Pick<MergedRoles, 'resources' | 'lost'> {
  const given = roles.flatMap(({ resources }) => (resources ? [resources] : []));
  const ofRoles = given.length > 0 ? [...new Set(given.flat())] : null;
  if (!own || !ofRoles) return { resources: own ?? ofRoles, lost: [] };
  const { patterns, lost } = narrow(ofRoles, own);
  return { resources: patterns, lost };
}

/** All budgets apply; of two for the same dimension and window, the smaller. */
export function budgetLimits(budgets: readonly BudgetDocument[]): BudgetLimit[] {
  const smallest = new Map<string, BudgetLimit>();
  for (const { dimension, limit, per } of budgets) {
    const perMs = per ? durationMs(per) : null;
    const id = `${dimension}/${perMs}`;
    const before = smallest.get(id)?.limit ?? Number.POSITIVE_INFINITY;
    smallest.set(id, { dimension, limit: Math.min(limit, before), perMs });
  }
  return [...smallest.values()];
}

function mergeLimits(all: readonly RoleDocument[]): AgentLimits {
  const given = all.flatMap(({ limits: own }) => own ?? []);
  const smallest = (values: readonly (number | undefined)[]): number | undefined => {
    const known = values.filter((value) => value !== undefined);
    return known.length > 0 ? Math.min(...known) : undefined;
  };
  return {
    sameProposal: smallest(given.map((own) => own.sameProposal)) ?? gateLimits.sameProposalsMax,
    sameError: smallest(given.map((own) => own.sameError)) ?? gateLimits.sameErrorsMax,
    cycle: smallest(given.map((own) => own.cycle)) ?? gateLimits.cyclesMax,
    rates: given.flatMap(({ rate }) =>
      rate.map(({ max, per }) => ({ max, perMs: durationMs(per) })),
    ),
    concurrency: smallest(given.map((own) => own.concurrency)) ?? null,
  };
}

const levels: readonly Autonomy[] = ['read-only', 'supervised', 'autonomous'];

function lowest(given: readonly Autonomy[]): Autonomy {
  return levels.find((level) => given.includes(level)) ?? 'autonomous';
}
