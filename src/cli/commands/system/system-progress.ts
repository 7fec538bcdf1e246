import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '../../../http/index.ts';
import type { Output } from '../../format/output.ts';

const pollEveryMs = 300;

/** While services start: how many run, and what is being done with the others. */
export async function withSystemProgress<Result>(
  client: Client,
  output: Output,
  work: () => Promise<Result>,
): Promise<Result> {
  let isOver = false;
  const follow = async (): Promise<void> => {
    while (!isOver) {
      const { services } = await client.call('GET /v1/system', {}).catch(() => ({ services: [] }));
      if (isOver) return;
      const there = services.filter(({ state }) => state === 'running');
      const begun = services.filter(({ state }) => state === 'starting');
      const names = begun.map(({ service, reason }) => `${service}: ${reason}`).join(', ');
      output.progress(`${there.length} of ${services.length} run  ${names} …`);
      await delay(pollEveryMs);
    }
  };
  void follow();
  try {
    return await work();
  } finally {
    isOver = true;
  }
}
