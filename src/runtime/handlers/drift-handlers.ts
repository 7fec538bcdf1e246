import {
  acceptDrift,
  declareAgent,
  listBehaviours,
  viewCompliance,
  viewDrift,
  viewTaskCompliance,
} from '../../drift/index.ts';
import type { HandlersOf } from '../../http/api.ts';
import { type Actor, committedValue, fault } from '../../kernel/index.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function driftHandlers({ ledger, act }: HandlerDeps): HandlersOf<'drift'> {
  /** An agent sees only itself, whatever it asks for. */
  const shownAgents = async (actor: Actor, wanted: string | undefined): Promise<string[]> => {
    if (actor.startsWith('agent:')) return [actor];
    return wanted === undefined ? listBehaviours(ledger) : [wanted];
  };
  const viewAll = async <View>(
    actor: Actor,
    wanted: string | undefined,
    view: (agent: string) => Promise<View | undefined>,
  ): Promise<View[]> => {
    const agents = await shownAgents(actor, wanted);
    const views = (await Promise.all(agents.map(view))).filter((one) => one !== undefined);
    if (views.length === 0 && wanted !== undefined) {
      throw fault('NOT_FOUND', { what: `behaviour of ${wanted}` });
    }
    return views;
  };
  return {
    'GET /v1/drift': async ({ query }, { actor }) => ({
      agents: await viewAll(actor, query.agent, (agent) => viewDrift(ledger, agent)),
    }),
    'POST /v1/drift/accept': async ({ body }, { actor }) => {
      const proposal = { actor, tool: 'drift.accept', arguments: { ...body } };
      const accepted = act(proposal, async () => {
        await acceptDrift(ledger, { ...body, actor });
        return null;
      });
      committedValue(await accepted);
      const view = await viewDrift(ledger, body.agent);
      if (!view) throw fault('NOT_FOUND', { what: `behaviour of ${body.agent}` });
      return view;
    },
    'GET /v1/compliance': async ({ query }, { actor }) => ({
      agents: await viewAll(actor, query.agent, (agent) => viewCompliance(ledger, agent)),
    }),
    'GET /v1/compliance/tasks/{task}': async ({ path }) => {
      const view = await viewTaskCompliance(ledger, path.task);
      if (!view) throw fault('NOT_FOUND', { what: `steps of ${path.task}` });
      return view;
    },
    'POST /v1/agents/profile': async ({ body }, { actor }) => ({
      profile: await declareAgent(ledger, actor, body),
    }),
  };
}
