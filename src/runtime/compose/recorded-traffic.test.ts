import { expect, test } from 'vitest';
import { redactText } from '../../kernel/index.ts';
import { createRecordedTraffic } from './recorded-traffic.ts';

test('a credential of recorded traffic is also recognised without its scheme', async () => {
  process.env.SURETY_REPLAY_TEST = 'Bearer zebra-91-crossing';
  const record = { perMille: 1, perRoute: 1, headers: [], replace: {}, keepDays: 1 };
  const traffic = { record, credentials: { authorization: 'env:SURETY_REPLAY_TEST' } };
  const { recorded } = createRecordedTraffic(
    {
      place: { root: '/', trafficFile: '/nowhere/recorded.jsonl' } as never,
      config: { traffic, frontDoorPort: 1 } as never,
      clock: { now: () => 0, keepAfter: () => undefined, aheadMs: () => 0 },
      makeIdentifier: (prefix) => `${prefix}_1` as never,
    },
    { recorded: async () => [] },
  );
  const { credentials } = (await recorded?.()) ?? {};
  delete process.env.SURETY_REPLAY_TEST;
  expect(credentials).toEqual({ authorization: 'Bearer zebra-91-crossing' });
  expect(redactText('of Bearer and zebra-91-crossing')).toBe('of Bearer and [redacted secret]');
});
