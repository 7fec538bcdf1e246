import type { HandlersOf } from '../../http/api.ts';
import { committedValue, type Outcome, type Proposal } from '../../kernel/index.ts';
import { listBudgets } from '../views/budget-view.ts';
import { listContracts } from '../views/contract-view.ts';
import {
  explainProposal,
  listApprovals,
  listStops,
  listUnresolved,
  showApproval,
  showOwnOutcome,
} from '../views/gate-views.ts';
import type { HandlerDeps } from './handler-deps.ts';

export function gateHandlers(deps: HandlerDeps): HandlersOf<'gate'> {
  const { gate, act, policies } = deps;
  const modeOf = (tool: string) =>
    policies.current?.contracts.get(tool)?.mode ?? policies.current?.mode ?? 'enforce';
  const native = (proposal: Proposal, work: () => Promise<void>): Promise<null> =>
    act(proposal, async () => work().then(() => null)).then(committedValue);
  return {
    // The token identifies the caller; nothing in the body can override it.
    'POST /v1/proposals': async ({ body }, caller) => {
      const mode = modeOf(body.tool);
      return { mode, ...showOutcome(await gate.propose(proposalOf(body, caller))) };
    },
    'POST /v1/grants': async ({ body: { audience, begins = false, ...body } }, caller) => {
      const mode = modeOf(body.tool);
      const granted = await gate.grant(proposalOf(body, caller), audience, { begins });
      return { mode, ...(granted.status === 'granted' ? granted : showOutcome(granted)) };
    },
    'POST /v1/grants/redeem': ({ body }) => gate.redeem(body.token),
    'POST /v1/grants/settle': async ({ body }) =>
      showOutcome(await gate.settle(body.token, body.report)),
    'GET /v1/proposals': async (_, { actor }) => ({ proposals: await listUnresolved(deps, actor) }),
    'GET /v1/proposals/{proposal}': ({ path }, { actor }) =>
      explainProposal(path.proposal, actor, deps),
    'GET /v1/proposals/{proposal}/outcome': ({ path }, { actor }) =>
      showOwnOutcome(path.proposal, actor, deps),
    'POST /v1/proposals/{proposal}/resolve': async ({ path, body }, { actor }) => {
      const { proposal } = path;
      const asked = { actor, tool: 'proposal.resolve', arguments: { proposal, ...body } };
      await native(asked, () => gate.resolve({ proposal, actor, ...body }));
      return explainProposal(proposal, actor, deps);
    },
    'GET /v1/approvals': async () => ({ approvals: await listApprovals(deps) }),
    'GET /v1/approvals/{approval}': ({ path }, { actor }) =>
      showApproval(path.approval, actor, deps),
    'POST /v1/approvals/{approval}/approve': async ({ path, body }, { actor, roles }) => {
      await gate.approve({ ...path, ...body, actor, roles });
      return showApproval(path.approval, actor, deps);
    },
    'POST /v1/approvals/{approval}/refuse': async ({ path, body }, { actor, roles }) => {
      await gate.refuse({ ...path, ...body, actor, roles });
      return showApproval(path.approval, actor, deps);
    },
    'GET /v1/stops': async () => ({ stops: await listStops(deps) }),
    'POST /v1/stops': async ({ body }, { actor }) => {
      const asked = { actor, tool: 'stop.set', arguments: { ...body } };
      await native(asked, () => gate.stop({ ...body, actor }));
      return { stops: await listStops(deps) };
    },
    'POST /v1/stops/lift': async ({ body }, { actor }) => {
      const asked = { actor, tool: 'stop.lift', arguments: { ...body } };
      await native(asked, () => gate.lift({ ...body, actor }));
      return { stops: await listStops(deps) };
    },
    'GET /v1/budgets': async (_, { actor }) => ({ budgets: await listBudgets(deps, actor) }),
    'GET /v1/contracts': async (_, { actor }) => listContracts(deps, actor),
  };
}

type ProposalBody = Omit<Proposal, 'actor'> & {
  readonly fences?: Readonly<Record<string, number>> | undefined;
};

/** A decision may look at fences, and they stay on the chain. */
function proposalOf(
  { fences, ...body }: ProposalBody,
  { actor, key }: Pick<Proposal, 'actor' | 'key'>,
): Proposal {
  return { ...body, ...(fences ? { facts: { fences } } : {}), actor, key };
}

function showOutcome(outcome: Outcome) {
  const { status, proposal } = outcome;
  const notices = outcome.notices ? { notices: [...outcome.notices] } : {};
  if (outcome.status === 'committed') return { status, proposal, value: outcome.value, ...notices };
  if (outcome.status === 'failed') {
    return { status, proposal, fault: outcome.fault.report(), ...notices };
  }
  return { status, proposal, ...notices };
}
