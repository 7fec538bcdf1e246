import type { CompiledContract, CompiledPolicy } from '../../gate/index.ts';
import type { OperationResponse } from '../../http/contract.ts';
import type { Actor } from '../../kernel/index.ts';
import { natives } from '../tools/natives.ts';

type Shown = OperationResponse<'GET /v1/contracts'>;

interface ContractDeps {
  readonly policies: { readonly current: CompiledPolicy | null };
}

/** The contracts that the caller may use. */
export function listContracts({ policies }: ContractDeps, actor: Actor): Shown {
  const policy = policies.current;
  const agent = policy?.agents.get(actor.replace(/^agent:/, ''));
  const isAgent = actor.startsWith('agent:');
  const isAllowed = (tool: string): boolean => !isAgent || agent?.allows(tool) === true;
  const contracts = [...(policy?.contracts.values() ?? [])]
    .filter(({ tool }) => isAllowed(tool))
    .map((contract) => show(contract, policy));
  const mode = policy?.mode ?? 'enforce';
  // A policy in observe mode denies nothing.
  const own = natives.filter((tool) => mode === 'observe' || isAllowed(tool));
  return { policy: policy?.hash ?? null, mode, contracts, natives: own };
}

function show(
  contract: CompiledContract,
  policy: CompiledPolicy | null,
): Shown['contracts'][number] {
  const { tool, effect, schema, approval } = contract;
  const rules = (kind: 'preconditions' | 'invariants' | 'results') =>
    contract[kind].map(({ rule, that }) => ({ rule, that: that.text, kind }));
  const when = approval?.when ? ` when ${approval.when.text}` : '';
  return {
    tool,
    description: contract.description ?? null,
    effect,
    mode: contract.mode ?? policy?.mode ?? 'enforce',
    schema,
    rules: [...rules('preconditions'), ...rules('invariants'), ...rules('results')],
    evidence: contract.evidence.map(({ kind }) => kind),
    approval: approval ? `${approval.role}${when}` : null,
  };
}
