import {
  canonicalJson,
  type Fault,
  isJsonObject,
  type JsonObject,
  type Proposal,
} from '../../../kernel/index.ts';
import { mcpLimits } from '../../limits.ts';
import type { ClientExchange } from '../clients/exchange.ts';
import type { GatewayPorts } from '../ports.ts';

/**
 * Asks the person at the agent's client about a held call, where the policy lets them answer for
 * it. True: they have answered, and what they said is on the ledger. Everybody else still uses
 * `surety approve`.
 */
export async function askApproval(
  held: Fault,
  proposal: Proposal,
  { caller, can, ask }: ClientExchange,
  ports: Pick<GatewayPorts, 'approver' | 'answerHeld'>,
): Promise<boolean> {
  const { approval, argumentsHash } = held.details ?? {};
  const approver = ports.approver(caller, proposal.tool);
  const message = approver ? questionAbout(proposal, approver.actor) : undefined;
  if (!approver || message === undefined) return false;
  const question = { method: 'elicitation/create', params: { message, requestedSchema } };
  if (!can(question)) return false;
  const answer = await ask(question, 'approval').catch(() => null);
  const said = readAnswer(answer);
  if (!said) return false;
  await ports.answerHeld({
    approval: String(approval),
    argumentsHash: String(argumentsHash),
    approver,
    at: caller.actor,
    ...said,
  });
  return true;
}

const requestedSchema = {
  type: 'object',
  properties: {
    approve: {
      type: 'boolean',
      title: 'Approve',
      description: 'Let exactly this call through, once.',
    },
    reason: { type: 'string', title: 'Reason', description: 'Is recorded.', maxLength: 500 },
  },
  required: ['approve'],
} as const;

/** Undefined: nobody can approve what cannot be shown whole. */
export function questionAbout({ actor, tool, arguments: given }: Proposal, person: string) {
  const shown = visible(canonicalJson(given));
  if (shown.length > mcpLimits.elicitedCharsMax) return undefined;
  return `${actor} wants to call ${tool} with ${shown}. Do you, ${person}, approve exactly this?`;
}

/** What turns a line around or hides in it is shown by its number. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, (sign) =>
    [...sign].map((one) => `\\u{${one.codePointAt(0)?.toString(16)}}`).join(''),
  );
}

/** Whoever closes the question has said nothing; whoever declines has said no. */
function readAnswer(
  answer: JsonObject | null,
): { readonly isApproved: boolean; readonly reason: string } | undefined {
  const { action, content } = answer ?? {};
  if (action === 'decline') return { isApproved: false, reason: '' };
  if (action !== 'accept' || !isJsonObject(content ?? null)) return undefined;
  const { approve, reason } = content as JsonObject;
  if (typeof approve !== 'boolean') return undefined;
  return { isApproved: approve, reason: typeof reason === 'string' ? reason.slice(0, 500) : '' };
}
