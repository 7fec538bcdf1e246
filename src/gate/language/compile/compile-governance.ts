import type { Path } from '../../../document/index.ts';
import { durationMs, sharedLimits } from '../../../kernel/index.ts';
import type { GovernanceDocument } from '../contract-schema.ts';
import type { Compilation, ExpressionPlace } from './compilation.ts';
import { sortedEntries } from './compilation.ts';
import type { CompiledConcurrency, CompiledContract, CompiledCost } from './compiled.ts';
import type { ExpressionScope, Scopes } from './scopes.ts';

type CompiledGovernance = Pick<
  CompiledContract,
  | 'key'
  | 'keyForMs'
  | 'cost'
  | 'actualCost'
  | 'evidence'
  | 'approval'
  | 'rates'
  | 'concurrency'
  | 'timeoutMs'
  | 'trustsReports'
>;

const ungoverned: GovernanceDocument = {
  cost: {},
  actualCost: {},
  evidence: [],
  rate: [],
  reported: false,
};

/** The G of a contract. */
export function compileGovernance(
  compilation: Compilation,
  given: GovernanceDocument = ungoverned,
  at: { readonly path: Path; readonly scopes: Scopes },
): CompiledGovernance {
  const { asking, assessing, deciding, settling } = at.scopes;
  const place = (scope: ExpressionScope, ...steps: (string | number)[]): ExpressionPlace => ({
    path: [...at.path, ...steps],
    scope,
  });
  const { keyFor, approval, timeout, reported } = given;
  const timeoutMs = timeout ? durationMs(timeout) : sharedLimits.toolMs;
  return {
    key: compilation.optional(given.key, place(asking, 'key'), 'string'),
    keyForMs: keyFor ? durationMs(keyFor) : null,
    cost: costs(compilation, given.cost, place(assessing, 'cost')),
    actualCost: costs(compilation, given.actualCost, place(settling, 'actualCost')),
    evidence: given.evidence.map(({ kind, subject, freshFor }, index) => ({
      kind,
      subject: compilation.expression(
        subject,
        place(assessing, 'evidence', index, 'subject'),
        'string',
      ),
      freshMs: durationMs(freshFor),
    })),
    approval: approval
      ? {
          when: compilation.optional(approval.when, place(deciding, 'approval', 'when'), 'bool'),
          role: approval.role,
          withinMs: durationMs(approval.within),
          elicited: approval.elicited,
        }
      : null,
    rates: given.rate.map(({ max, per, by }) => ({ max, perMs: durationMs(per), by })),
    concurrency: concurrency(compilation, given, place(assessing, 'concurrency'), timeoutMs),
    timeoutMs,
    trustsReports: reported,
  };
}

function costs(
  compilation: Compilation,
  given: Readonly<Record<string, string>>,
  { path, scope }: ExpressionPlace,
): CompiledCost[] {
  return sortedEntries(given).map(([dimension, text]) => {
    if (dimension === 'calls') {
      compilation.complain([...path, dimension], 'every call counts as one of `calls` by itself');
    }
    const amount = compilation.expression(text, { path: [...path, dimension], scope }, 'int');
    return { dimension, amount };
  });
}

function concurrency(
  compilation: Compilation,
  { concurrency: given }: GovernanceDocument,
  { path, scope }: ExpressionPlace,
  timeoutMs: number,
): CompiledConcurrency | null {
  if (!given) return null;
  const { max = null, lock, lease, held } = given;
  if (max === null && lock === undefined) {
    compilation.complain(path, 'say max, lock or both');
  }
  if (held && lock === undefined) compilation.complain([...path, 'held'], 'say which lock');
  const leaseMs = lease ? durationMs(lease) : Math.min(2 * timeoutMs, sharedLimits.leaseMsMax);
  if (leaseMs < timeoutMs) {
    compilation.complain([...path, 'lease'], 'it would end before the timeout of the call');
  }
  return {
    max,
    lock: compilation.optional(lock, { path: [...path, 'lock'], scope }, 'string'),
    leaseMs,
    held,
  };
}
