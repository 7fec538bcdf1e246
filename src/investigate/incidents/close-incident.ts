import { type Actor, fault } from '../../kernel/index.ts';
import { type Ledger, readRow } from '../../ledger/index.ts';
import type { IncidentRecord } from '../api-schema.ts';
import { type HearDeps, noticeOf } from './hear-alerts.ts';
import { incidentKey, nextIncident } from './incident-rows.ts';

export async function findIncident(incident: string, ledger: Ledger): Promise<IncidentRecord> {
  const row = await readRow<IncidentRecord>(ledger, incidentKey(incident));
  if (!row) throw fault('NOT_FOUND', { what: `incident ${incident}` });
  return row;
}

/** A person ends an incident whose alerts do not resolve by themselves. Twice is once. */
export async function closeIncident(
  actor: Actor,
  { incident, reason }: { readonly incident: string; readonly reason: string },
  { ledger, notify }: Pick<HearDeps, 'ledger' | 'notify'>,
): Promise<IncidentRecord> {
  const { row, isNew } = await ledger.transact({
    keys: [incidentKey(incident)],
    decide: (rows, at) => {
      const known = rows.get<IncidentRecord>(incidentKey(incident));
      if (!known) throw fault('NOT_FOUND', { what: `incident ${incident}` });
      const closing = { kind: 'incident-closed', actor, body: { incident, reason } };
      const isNew = known.state === 'open';
      const row = isNew ? (nextIncident(known, { ...closing, at }) ?? known) : known;
      return { drafts: isNew ? [closing] : [], result: () => ({ row, isNew }) };
    },
  });
  if (isNew) notify(noticeOf(row, 'incident-closed'));
  return row;
}
