import type { Gate, PolicyBook } from '../../gate/index.ts';
import type { Actor, Identity } from '../../kernel/index.ts';
import type { HeldAnswer } from '../../mcp/gateway/index.ts';
import type { Config } from '../../system/index.ts';

/**
 * Who may be asked about a held call at the client of an agent: the person whom surety.yaml puts
 * there, if the contract lets them be asked there at all and they have the role that it wants.
 */
export function approverAt(
  agent: Actor,
  tool: string,
  { current }: Pick<PolicyBook, 'current'>,
  { people }: Pick<Config, 'people'>,
): Identity | null {
  const asked = current?.contracts.get(tool)?.approval;
  if (!asked?.elicited || !agent.startsWith('agent:')) return null;
  const name = agent.slice('agent:'.length);
  const found = Object.entries(people).find(([, { clients }]) => clients.includes(name));
  if (!found) return null;
  const [person, { roles }] = found;
  const may = (roles as readonly string[]).some((role) => role === asked.role || role === 'admin');
  return may ? { actor: `person:${person}`, roles } : null;
}

export async function answerHeld(
  { approver, at, isApproved, reason, ...about }: HeldAnswer,
  gate: Pick<Gate, 'approve' | 'refuse'>,
): Promise<void> {
  const said = reason === '' ? `asked at the client of ${at}` : reason;
  const answer = { ...about, ...approver, reason: said, elicitedAt: at };
  await (isApproved ? gate.approve(answer) : gate.refuse(answer));
}
