import { resolve } from 'node:path';
import type { CompiledPolicy } from '../../gate/index.ts';
import type { OperationResponse } from '../../http/contract.ts';
import { type Actor, fault, type JsonObject } from '../../kernel/index.ts';
import { readRow } from '../../ledger/index.ts';
import type { HandlerDeps } from '../handlers/handler-deps.ts';

type Shown = OperationResponse<'GET /v1/policy'>;

/** The policy in `surety status`. */
export function policySummary({ policies, policyFile }: HandlerDeps) {
  const { hash = null, mode = 'enforce' as const } = policies.current ?? {};
  return { hash, mode, problem: policyFile.problem?.reason ?? null };
}

export async function showPolicy(deps: HandlerDeps): Promise<Shown> {
  const { policies, policyFile, ledger, config, place } = deps;
  const policy = policies.current;
  const row = await readRow<{ hash: string | null; seq: number }>(ledger, 'policy');
  const adopted = row?.hash ? await ledger.entry(row.seq) : null;
  return {
    hash: policy?.hash ?? null,
    version: await policies.version(),
    mode: policy?.mode ?? 'enforce',
    file: config.policy === undefined ? null : resolve(place.root, config.policy),
    environment: config.environment ?? null,
    adoptedAt: adopted?.at ?? null,
    adoptedSeq: adopted?.seq ?? null,
    tools: toolsOf(policy),
    agents: [...(policy?.agents.keys() ?? [])],
    problem: policyFile.problem,
  };
}

function toolsOf(policy: CompiledPolicy | null): Shown['tools'] {
  if (!policy) return [];
  return Array.from(policy.contracts.values(), ({ tool, mode }) => ({
    tool,
    mode: mode ?? policy.mode,
  }));
}

type ShownContract = OperationResponse<'GET /v1/contracts/{tool}'>;

/** An agent sees the contracts of its own tools. */
export function showContract(tool: string, actor: Actor, deps: HandlerDeps): ShownContract {
  const policy = deps.policies.current;
  const contract = policy?.contracts.get(tool);
  const agents = [...(policy?.agents.values() ?? [])].filter((agent) => agent.allows(tool));
  const names = agents.map(({ name }) => name);
  const mayLook = !actor.startsWith('agent:') || names.includes(actor.slice('agent:'.length));
  if (!policy || !contract || !mayLook) throw fault('NOT_FOUND', { what: `contract of ${tool}` });
  const document = (policy.document.tools as JsonObject)[tool] as JsonObject;
  return { tool, mode: contract.mode ?? policy.mode, document, agents: names };
}
