import { type Actor, committedValue, type Role } from '../../kernel/index.ts';
import { localPerson } from '../identities.ts';
import { listApprovals, listStops, listUnresolved } from '../views/gate-views.ts';
import type { Composition } from './own-composition.ts';

/** The person who decides. Without a name: the user of this program, as admin of its directory. */
export interface Approver {
  readonly by?: string;
  readonly roles?: readonly Role[];
  readonly reason?: string;
}

/** As `approvals()` showed it: the answer is for these arguments only. */
export interface ShownApproval {
  readonly approval: string;
  readonly argumentsHash: string;
}

type Approval = Awaited<ReturnType<typeof listApprovals>>[number];
type Stop = Awaited<ReturnType<typeof listStops>>[number];
type UnresolvedProposal = Awaited<ReturnType<typeof listUnresolved>>[number];

/** What people do: answer approvals, stop, and settle unknown outcomes. */
export interface ApprovalDesk {
  /** The approvals that wait for a person, with their exact arguments. */
  approvals(): Promise<readonly Approval[]>;
  approve(shown: ShownApproval, options?: Approver): Promise<void>;
  refuse(shown: ShownApproval, options?: Approver): Promise<void>;
  /** `workspace`, `agent:<name>` or `tool:<name>`, from the next decision on. */
  stop(scope: string, options?: Approver): Promise<void>;
  lift(scope: string, options?: Approver): Promise<void>;
  stops(): Promise<readonly Stop[]>;
  /** Proposals whose outcome is unknown or has to be corrected. */
  unresolved(): Promise<readonly UnresolvedProposal[]>;
  /** A person has checked whether it took effect. */
  resolve(proposal: string, as: 'committed' | 'failed', options?: Approver): Promise<void>;
}

export function createDesk(composition: Composition): ApprovalDesk {
  const { gate } = composition;
  /** A change of the gate's own state is itself a proposal. */
  const native = async (
    tool: string,
    given: Record<string, string>,
    actor: Actor,
    work: () => Promise<void>,
  ): Promise<void> => {
    const run = async (): Promise<null> => work().then(() => null);
    committedValue(await gate.act({ actor, tool, arguments: given }, run));
  };
  const stopping = (scope: string, { reason = 'none was given', ...who }: Approver) => ({
    scope,
    reason,
    actor: actorOf(who),
  });
  return {
    approvals: () => listApprovals(composition),
    approve: async (approval, options = {}) =>
      void (await gate.approve(answerOf(approval, options))),
    refuse: async (approval, options = {}) => void (await gate.refuse(answerOf(approval, options))),
    stop: (scope, options = {}) => {
      const { actor, ...given } = stopping(scope, options);
      return native('stop.set', given, actor, () => gate.stop({ ...given, actor }));
    },
    lift: (scope, options = {}) => {
      const { actor, ...given } = stopping(scope, options);
      return native('stop.lift', given, actor, () => gate.lift({ ...given, actor }));
    },
    stops: () => listStops(composition),
    unresolved: () => listUnresolved(composition, localPerson()),
    resolve: (proposal, as, { reason = 'none was given', ...who } = {}) => {
      const actor = actorOf(who);
      const given = { proposal, as, reason };
      const work = (): Promise<void> => gate.resolve({ proposal, as, reason, actor });
      return native('proposal.resolve', given, actor, work);
    },
  };
}

function answerOf({ approval, argumentsHash }: ShownApproval, options: Approver) {
  const { reason = '', roles = ['admin'] } = options;
  return { approval, argumentsHash, reason, roles, actor: actorOf(options) };
}

function actorOf({ by }: Approver): Actor {
  return by === undefined ? localPerson() : `person:${by}`;
}
