import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showVerdict } from './format-verdict.ts';

export const run: RunCommand = async (invocation) => {
  const [verdict = ''] = invocation.arguments;
  const client = connectDaemon(invocation.place);
  return showVerdict(
    await client.call('GET /v1/verdicts/{verdict}', { path: { verdict } }),
    invocation,
  );
};
