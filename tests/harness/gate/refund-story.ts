import { killHard } from '../kill-hard.ts';
import { until } from '../until.ts';
import type { RefundPlace, Told } from './refund-place.ts';

/** One thing that was seen, beside what should be. */
export type See = (what: string, seen: unknown, wanted: unknown) => void;
export type Chapter = (place: RefundPlace, see: See) => Promise<void>;

const rules = ({ fault }: Told): string[] =>
  ((fault?.details as { rules?: { rule: string }[] })?.rules ?? []).map(({ rule }) => rule);

const waitMs = 60_000;
/** Longer than it takes to start a daemon again, however busy the machine is. */
const slowMs = 60_000;

/** Text 002's contract, from the first denial to the last sum. */
export const chapters: Readonly<Record<string, Chapter>> = {
  'An order that is not delivered is not refunded, and the agent gets a remedy.': async (
    place,
    see,
  ) => {
    const blind = await place.refund('ord_shipped', 500);
    see('without having looked at the order', rules(blind), [
      'refund.issue/delivered',
      'evidence/order-seen',
    ]);
    await place.look('ord_shipped');
    const denied = await place.refund('ord_shipped', 500);
    see('having looked', rules(denied), ['refund.issue/delivered']);
    see('what would change that', denied.fault?.remedy, 'Wait until the order is delivered.');
    see('paid', await payouts(place, 'ord_shipped'), 0);
  },

  'Above the threshold nothing is paid without a person; with one, exactly what was shown.': async (
    place,
    see,
  ) => {
    await place.look('ord_large');
    const held = await place.refund('ord_large', 20_000);
    see('without approval', held.fault?.code, 'PROPOSAL_HELD');
    const { approval, argumentsHash } = (held.fault?.details ?? {}) as Record<string, string>;
    const answer = { path: { approval }, body: { argumentsHash, reason: 'seen the photos' } };
    const approve = (name: string) =>
      place
        .client(name)
        .call('POST /v1/approvals/{approval}/approve', answer as never)
        .then(({ status }) => status)
        .catch(({ code }) => code);
    see('approved by the agent itself', await approve('agents/helpdesk'), 'APPROVAL_OWN');
    see('approved by an operator', await approve('people/olga'), 'APPROVAL_ROLE');
    see('paid until then', await payouts(place, 'ord_large'), 0);
    see('approved by grace', await approve('people/grace'), 'approved');
    see('the same again', (await place.refund('ord_large', 20_000)).status, 'committed');
    see('paid', await payouts(place, 'ord_large'), 1);
  },

  'Fifty agents ask for the same refund at the same time. It is paid once.': async (place, see) => {
    await place.look('ord_busy');
    const all = Array.from({ length: 50 }, () => place.refund('ord_busy', 2_500, waitMs));
    const told = await Promise.all(all);
    see('answers', count(told.map(({ status }) => status)), { committed: 50 });
    see('paid', await payouts(place, 'ord_busy'), 1);
  },

  'The daemon is killed (kill -9) after the money moved, before it can record the outcome.': async (
    place,
    see,
  ) => {
    await place.look('ord_small');
    await place.orderFault('slow-answer', 5_000);
    const cutOff = place.refund('ord_small', 4_500);
    await until('the money has moved', () => payouts(place, 'ord_small'));
    const { pid } = await place.workspace.client().call('GET /v1/status', {});
    await killHard(pid);
    see('the agent hears', (await cutOff).fault?.code, 'DAEMON_NOT_RUNNING');
    const { interrupted } = await place.workspace.up();
    see('left open by the crash', interrupted.length, 1);
    see('the same again', (await place.refund('ord_small', 4_500, waitMs)).status, 'committed');
    see('paid', await payouts(place, 'ord_small'), 1);
    const last = (await entriesOf(place)).findLast(({ body }) => body.tool === 'refund.issue');
    see('how it was found out', last?.kind, 'proposal-reconciled');
  },

  'It is killed while the payment is still on its way. The recorded outcome stays true.': async (
    place,
    see,
  ) => {
    await place.look('ord_late');
    await place.orderFault('slow', slowMs);
    const isGranted = ({ kind, body }: Entry) =>
      kind === 'proposal-granted' && body.tool === 'refund.issue';
    const before = (await entriesOf(place)).filter(isGranted).length;
    const cutOff = place.refund('ord_late', 3_300);
    await until('it is granted', async () => (await entriesOf(place)).filter(isGranted)[before]);
    const { pid } = await place.workspace.client().call('GET /v1/status', {});
    await killHard(pid);
    see('the agent hears', (await cutOff).fault?.code, 'DAEMON_NOT_RUNNING');
    await place.workspace.up();
    see('the same again', (await place.refund('ord_late', 3_300, waitMs)).status, 'failed');
    await place.endFaults();
    see('paid when the late call has arrived', await payouts(place, 'ord_late'), 0);
  },

  'The payment moves the money but is not booked: it is cancelled.': async (place, see) => {
    await place.look('ord_fragile');
    await place.orderFault('stuck');
    const stuck = await place.refund('ord_fragile', 7_900);
    see('the agent hears', stuck.fault?.code, 'PROPOSAL_COMPENSATED');
    const { ord_fragile: effects } = await place.effects();
    see('what happened', effects, { payouts: 1, cancellations: 1 });
  },

  'The cancellation fails as well: nothing is repeated, and a person decides.': async (
    place,
    see,
  ) => {
    await place.look('ord_at_threshold');
    await place.orderFault('stuck');
    await place.orderFault('error-before-effect', 0, 'cancel');
    const stuck = await place.refund('ord_at_threshold', 10_000);
    see('the agent hears', stuck.status, 'unknown');
    const olga = place.client('people/olga');
    const { proposals } = await olga.call('GET /v1/proposals', {});
    see('in doubt', proposals.map(({ tool }) => tool).sort(), ['refund.cancel', 'refund.issue']);
    for (const { proposal, tool } of proposals) {
      const as = tool === 'refund.issue' ? 'committed' : 'failed';
      const body = { as, reason: 'I asked the bank' } as const;
      await olga.call('POST /v1/proposals/{proposal}/resolve', { path: { proposal }, body });
    }
    const again = await place.refund('ord_at_threshold', 10_000);
    see('the agent asks again once a person has looked', again.status, 'committed');
    see('paid', await payouts(place, 'ord_at_threshold'), 1);
  },

  'The people who have to decide were notified, by webhook and by command.': async (place, see) => {
    // Also about what failed for certain: the contract ends with telling a person. A refund waits
    // for its cancellation, so a person is told only about the latter.
    const events = ['proposal-held', 'recovery-held', 'recovery-held'];
    const all = () => [place.posted, place.commanded()];
    await until('all were told', () => all().every(({ length }) => length >= events.length));
    see(
      'by webhook',
      place.posted.map(({ event }) => event),
      events,
    );
    see(
      'by command',
      place.commanded().map(({ event }) => event),
      events,
    );
  },

  'In the end the sums agree, and replay makes every decision again.': async (place, see) => {
    const effects = Object.values(await place.effects());
    const paid = effects.reduce((sum, { payouts: times }) => sum + times, 0);
    const back = effects.reduce((sum, { cancellations: times }) => sum + times, 0);
    const outcomes = await outcomesOf(place);
    see('paid and not taken back', paid - back, outcomes.committed);
    see('taken back', back, outcomes.compensated);
    const { budgets } = await place.client('agents/helpdesk').call('GET /v1/budgets', {});
    const own = budgets.find(({ account }) => account === 'agent:helpdesk');
    see('budget of the agent', own && { spent: own.spent, reserved: own.reserved }, {
      spent: 20_000 + 2_500 + 4_500 + 10_000,
      reserved: 0,
    });
    const { proposals } = await place.client('people/olga').call('GET /v1/proposals', {});
    see('in doubt', proposals, []);
    for (const command of ['verify', 'rebuild', 'replay']) {
      const { ok } = await place.workspace.run('ledger', command);
      see(`surety ledger ${command}`, ok, true);
    }
  },
};

async function payouts(place: RefundPlace, order: string): Promise<number> {
  return (await place.effects())[order]?.payouts ?? 0;
}

function count(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

type Entry = Awaited<ReturnType<typeof entriesOf>>[number];

async function entriesOf(place: RefundPlace) {
  const query = { limit: 1_000 };
  return (await place.workspace.client().call('GET /v1/entries', { query })).entries;
}

/** Of all refunds that were granted, how many ended how. */
async function outcomesOf(place: RefundPlace): Promise<{ committed: number; compensated: number }> {
  const kinds = (await entriesOf(place))
    .filter(({ body }) => body.tool === 'refund.issue')
    .map(({ kind, body }) => (kind === 'proposal-reconciled' ? `proposal-${body.as}` : kind));
  const times = count(kinds);
  return {
    committed: times['proposal-committed'] ?? 0,
    compensated: times['proposal-compensated'] ?? 0,
  };
}
