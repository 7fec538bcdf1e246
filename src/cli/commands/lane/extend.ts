import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { wholeNumber } from '../../options/whole-number.ts';

export const run: RunCommand = async ({ place, output, arguments: [lane = ''], options }) => {
  const body = { ttlMs: wholeNumber('--minutes', options.minutes, 30, 1) * 60_000 };
  const client = connectDaemon(place);
  const extended = await client.call('POST /v1/lanes/{lane}/extend', { path: { lane }, body });
  output.value(extended);
  const until = new Date(extended.lane.expiresAt).toISOString();
  output.line(`${output.tone('good', 'open')}  ${lane} until ${until}`);
  return exitCodes.ok;
};
