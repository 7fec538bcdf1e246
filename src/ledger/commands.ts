import type { Act, Actor, Outcome } from '../kernel/index.ts';
import type { Ledger } from './ledger.ts';

export interface LedgerCommandDeps {
  readonly act: Act;
  readonly ledger: Ledger;
}

/** A remark that a person leaves in the ledger: a deploy by hand, an incident's number. */
export function addNote(
  { act, ledger }: LedgerCommandDeps,
  actor: Actor,
  note: { readonly text: string; readonly subject?: string | undefined },
  key?: string,
): Promise<Outcome<{ seq: number }>> {
  const { text, subject = actor } = note;
  const proposal = { actor, subject, tool: 'ledger.note', arguments: { text, subject } };
  return act(withKey(proposal, key), async () => {
    const contents = [{ name: 'text', subject, value: text }];
    const [entry] = await ledger.append({ kind: 'note-added', actor, body: { subject }, contents });
    return { seq: entry?.seq ?? 0 };
  });
}

/** Destroys what the ledger holds about a subject; that it was destroyed stays on the chain. */
export function shredSubject(
  { act, ledger }: LedgerCommandDeps,
  actor: Actor,
  subject: string,
  key?: string,
): Promise<Outcome<{ seq: number }>> {
  const proposal = { actor, tool: 'ledger.shred', arguments: { subject } };
  return act(withKey(proposal, key), async () => {
    const { seq } = await ledger.shred(subject, actor);
    return { seq };
  });
}

function withKey<Base extends object>(
  proposal: Base,
  key: string | undefined,
): Base & { key?: string } {
  return key === undefined ? proposal : { ...proposal, key };
}
