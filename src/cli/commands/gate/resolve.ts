import { fault } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { neededOption } from '../../options/required-option.ts';

export const run: RunCommand = async ({ place, output, words: [proposal = ''], options }) => {
  const as = neededOption('resolve', '--as committed or --as failed', options.as);
  const reason = neededOption('resolve', '--reason', options.reason);
  if (as !== 'committed' && as !== 'failed') {
    const wrong = `--as takes committed or failed, not "${as}"`;
    throw fault('USAGE', { reason: wrong, help: 'surety resolve --help' });
  }
  const request = { path: { proposal }, body: { as, reason } } as const;
  const client = connectDaemon(place);
  const resolved = await client.call('POST /v1/proposals/{proposal}/resolve', request);
  output.value(resolved);
  output.line(`${output.tone('good', 'resolved')}  ${proposal} is ${resolved.status}`);
};
