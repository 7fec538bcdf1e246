import type { Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import { showSystem, systemMsMax } from './system-table.ts';

export const run: Run = async ({ place, output }) => {
  const client = connectDaemon(place);
  const stop = new AbortController();
  const { ledger } = await client.call('GET /v1/status', {});
  void follow(ledger.head.seq + 1);
  try {
    const options = { answerMsMax: systemMsMax };
    return showSystem(await client.call('POST /v1/system/up', {}, options), output);
  } finally {
    stop.abort();
  }

  /** Each service is told as soon as it is healthy. */
  async function follow(from: number): Promise<void> {
    const options = { signal: stop.signal };
    output.progress('starting …');
    try {
      const stream = client.stream('GET /v1/entries/stream', { query: { from } }, options);
      for await (const { kind, body } of stream) {
        if (kind === 'service-started') output.progress(`${body.service} is healthy …`);
      }
    } catch {
      // Only for show: what matters is the answer of the call itself.
    }
  }
};
