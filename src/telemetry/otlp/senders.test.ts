import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { telemetryLimits } from '../limits.ts';
import { post, type Receivers, senderSecret, startReceivers } from './receivers.fixture.ts';
import { span, spansOf } from './scene.fixture.ts';
import { Senders, senderCredential, senderKey } from './senders.ts';

let receivers: Receivers;
beforeAll(async () => {
  receivers = await startReceivers();
});
afterAll(() => receivers.close());

const mine = 'orders/baseline/run_1';
const claim = { 'service.name': 'pricing', 'service.instance.id': 'pricing/baseline/run_9' };
const message = (): string => JSON.stringify(spansOf([span()], claim));
const signed = (who: string, body: string): string =>
  `${who}:${createHmac('sha256', senderKey(senderSecret, who)).update(body).digest('hex')}`;

/** The status of the answer, and what was stored of the sender. */
async function sent(header: string | undefined, body = message()) {
  const before = receivers.kept.rows.spans.length;
  const headers: Record<string, string> = header === undefined ? {} : { 'surety-sender': header };
  const { status } = await post(receivers.port, { body, headers });
  const stored = receivers.kept.rows.spans.slice(before);
  return [status, ...stored.map(({ service, instance, lane }) => [service, instance, lane])];
}

// proves: telemetry.senders
test('a sender that proves nothing cannot report for an instance of the system', async () => {
  expect(await sent(undefined)).toEqual([200, ['pricing', `unproven:pricing/baseline/run_9`, '']]);
});

// proves: telemetry.senders
test('a sender that proves nothing adds no row to a lane whose key it knows', async () => {
  const traceId = 'cd'.repeat(16);
  const inLane = { ...claim, 'surety.lane': 'lane_7' };
  const body = JSON.stringify(spansOf([span({ traceId })], inLane));
  const stored = ['pricing', 'unproven:pricing/baseline/run_9', 'unproven:lane_7'];
  expect(await sent(undefined, body)).toEqual([200, stored]);
  const ofTrace = JSON.stringify(spansOf([span({ traceId })], claim));
  expect(await sent(senderCredential(senderSecret, mine), ofTrace)).toEqual([
    200,
    ['orders', mine, ''],
  ]);
});

// proves: telemetry.senders
test('a sender that proves nothing adds no row to the trace of a lane', async () => {
  const traceId = 'ef'.repeat(16);
  const lane = 'orders/lane_8/run_2';
  const body = JSON.stringify(spansOf([span({ traceId })], claim));
  await sent(senderCredential(senderSecret, lane), body);
  const stored = ['pricing', 'unproven:pricing/baseline/run_9', 'unproven:lane_8'];
  expect(await sent(undefined, `${body} `)).toEqual([200, stored]);
});

// proves: telemetry.senders
test('a proven sender reports for its own instance only, whatever it says', async () => {
  const expected = [200, ['orders', mine, '']];
  expect(await sent(senderCredential(senderSecret, mine))).toEqual(expected);
  expect(await sent(signed(mine, message()))).toEqual(expected);
  const lane = 'orders/lane_7/run_2';
  const body = JSON.stringify(spansOf([span({ traceId: 'ab'.repeat(16) })], claim));
  const inLane = [200, ['orders', lane, 'lane_7']];
  expect(await sent(senderCredential(senderSecret, lane), body)).toEqual(inLane);
});

// proves: telemetry.senders
test('a collector with a key speaks for the services that report to it', async () => {
  const credential = senderCredential(senderSecret, 'collector:main');
  expect(await sent(credential)).toEqual([200, ['pricing', 'pricing/baseline/run_9', '']]);
});

// proves: telemetry.senders
test('a wrong proof is refused: of another sender, another message or another secret', async () => {
  const [, proof = ''] = senderCredential(senderSecret, mine).split(':');
  const wrong = [
    `pricing/baseline/run_9:${proof}`,
    `collector:main:${proof}`,
    signed(mine, 'another message'),
    senderCredential('cd'.repeat(32), mine),
    mine,
    ':',
  ];
  for (const header of wrong) expect([header, await sent(header)]).toEqual([header, [401]]);
  const unset = new Senders('');
  expect(() => unset.identify(senderCredential('', mine), Buffer.of())).toThrow('surety-sender');
});

test('a signed message that is sent again is answered, and stored once', async () => {
  const body = JSON.stringify(spansOf([span({ name: 'once' })], claim));
  expect(await sent(signed(mine, body), body)).toHaveLength(2);
  expect(await sent(signed(mine, body), body)).toEqual([200]);
});

test('as many signatures are remembered as the limit says', () => {
  const senders = new Senders(senderSecret);
  const headers = Array.from(
    { length: telemetryLimits.telemetrySignaturesMax + 1 },
    (_, n) => `${mine}:${n}`,
  );
  for (const header of headers) senders.noteStored(mine, header);
  expect(headers.filter((header) => !senders.isStored(header))).toEqual([headers[0]]);
});
