import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { stops } = await connectDaemon(place).call('GET /v1/stops', {});
  output.value({ stops });
  for (const { scope, by, at, reason } of stops) {
    const since = new Date(at).toISOString();
    output.line(`${output.tone('bad', scope)}  by ${by} since ${since}: ${reason}`);
  }
  if (stops.length === 0) output.line('Nothing is stopped.');
  return exitCodes.ok;
};
