import type { OperationResponse } from '../../http/contract.ts';
import { type Actor, fault, type Json } from '../../kernel/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { findEntry } from './find-entry.ts';

/** A document in an entry, found by its own identifier. */
interface StoredDocument {
  readonly prefix: string;
  readonly kind: string;
  /** The member of the entry's body with the identifier. */
  readonly member: string;
  readonly content: string;
}

const verdicts = { prefix: 'verdict', kind: 'verdict-reached', member: 'id', content: 'verdict' };
const reports = {
  prefix: 'inv',
  kind: 'investigation-closed',
  member: 'investigation',
  content: 'report',
};

export const showVerdict = (verdict: string, actor: Actor, ledger: Ledger) =>
  show(verdicts, verdict, actor, ledger) as Promise<
    OperationResponse<'GET /v1/verdicts/{verdict}'>
  >;

export const showReport = (report: string, actor: Actor, ledger: Ledger) =>
  show(reports, report, actor, ledger) as Promise<
    OperationResponse<'GET /v1/investigations/{investigation}'>
  >;

/** An agent reads its own documents; people read all. */
async function show(kept: StoredDocument, id: string, actor: Actor, ledger: Ledger): Promise<Json> {
  const { prefix, kind, member, content } = kept;
  const entry = await findEntry(
    ledger,
    id,
    prefix,
    (one) => one.kind === kind && one.body[member] === id,
  );
  if (!entry || (actor.startsWith('agent:') && entry.actor !== actor)) {
    throw fault('NOT_FOUND', { what: `${content} ${id}` });
  }
  const found = (await ledger.contents(entry.seq)).find(({ name }) => name === content);
  if (found?.value === undefined) {
    throw fault('CONTENT_SHREDDED', { name: content, seq: entry.seq });
  }
  return found.value;
}
