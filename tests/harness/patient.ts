import type { Client } from '../../src/http/index.ts';

const answerMsMax = 120_000;

/** Waits for answers as long as a machine needs that has much else to do. */
export function patient(client: Client): Client {
  return {
    ...client,
    call: (key, input, options) => client.call(key, input, { answerMsMax, ...options }),
  };
}
