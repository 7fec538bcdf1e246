import type { Client } from '../../../http/index.ts';
import type { Output } from '../../format/output.ts';

const lookEveryMs = 500;

/** Shows the current step, as the daemon reports it. */
export async function withVerificationProgress<Result>(
  client: Client,
  output: Output,
  work: () => Promise<Result>,
): Promise<Result> {
  output.progress('opening lanes …');
  if (output.json) return work();
  let isOver = false;
  const poll = async (): Promise<void> => {
    const { running } = await client.call('GET /v1/verifications', {});
    const newest = running.at(-1);
    if (newest && !isOver) output.progress(`${newest.stage} …`);
  };
  const timer = setInterval(() => void poll().catch(() => undefined), lookEveryMs);
  try {
    return await work();
  } finally {
    isOver = true;
    clearInterval(timer);
  }
}
