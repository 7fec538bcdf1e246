import type { RoleDocument } from '../document.ts';
import { type CompiledDrift, type CompiledDriftLevel, driftResponses } from './compiled.ts';

type DriftDocument = NonNullable<RoleDocument['drift']>;

/** The reactions of an agent and its roles: all constraints, and the strictest response. */
export function mergeDrift(all: readonly Pick<RoleDocument, 'drift'>[]): CompiledDrift | null {
  const given = all.flatMap(({ drift }) => drift ?? []);
  if (given.length === 0) return null;
  const watch = reactionAt(given, ['watch']);
  const warn = reactionAt(given, ['watch', 'warn']);
  return { watch, warn, critical: reactionAt(given, ['watch', 'warn', 'critical']) };
}

/** A level demands what the levels below it demand, too. */
function reactionAt(
  given: readonly DriftDocument[],
  levels: readonly (keyof DriftDocument)[],
): CompiledDriftLevel {
  const reactions = given.flatMap((drift) => levels.flatMap((level) => drift[level] ?? []));
  const constraints = reactions.flatMap(({ constraint }) => constraint ?? []);
  const strictest = driftResponses.findLast((one) => {
    return reactions.some(({ response }) => response === one);
  });
  const approving = reactions.findLast(({ response }) => response === 'approval');
  return {
    constraints: [...new Set(constraints)],
    response: strictest ?? null,
    role: approving?.role ?? 'approver',
  };
}
