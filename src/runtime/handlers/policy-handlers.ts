import type { HandlersOf } from '../../http/api.ts';
import { type Actor, fault } from '../../kernel/index.ts';
import { showContract, showPolicy } from '../views/policy-view.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function policyHandlers(deps: HandlerDeps): HandlersOf<'policy'> {
  return {
    'GET /v1/policy': () => showPolicy(deps),
    'POST /v1/policy/adopt': async (_, { actor }) => {
      await deps.policyFile.adoptFor(actor);
      return showPolicy(deps);
    },
    'GET /v1/contracts/{tool}': async ({ path }, { actor }) => showContract(path.tool, actor, deps),
    'POST /v1/plans/check': async ({ body }, { actor }) => {
      const judged = await deps.gate.checkPlan(body.steps, plannerOf(body.agent, actor));
      const ok = judged.every(({ verdict }) => verdict === 'allow');
      return { ok, steps: judged };
    },
  };
}

/** People ask for any agent; an agent learns nothing about the rights of another one. */
function plannerOf(agent: string | undefined, actor: Actor): Actor {
  const asked = agent === undefined ? actor : (`agent:${agent}` as const);
  if (asked === actor || !actor.startsWith('agent:')) return asked;
  throw fault('NOT_FOUND', { what: `agent ${agent} that you could plan for` });
}
