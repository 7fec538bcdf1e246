import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { neededOption } from '../../options/required-option.ts';

export const stop: RunCommand = async ({
  place,
  output,
  words: [scope = 'workspace'],
  options,
}) => {
  const reason = neededOption('stop', '--reason', options.reason);
  const client = connectDaemon(place);
  if (typeof options.lift === 'string') {
    const body = { scope: options.lift, reason };
    const { stops } = await client.call('POST /v1/stops/lift', { body });
    output.value({ lifted: options.lift, stops });
    output.line(`${output.tone('good', 'lifted')}  ${options.lift}`);
    return;
  }
  const { stops } = await client.call('POST /v1/stops', { body: { scope, reason } });
  output.value({ stopped: scope, stops });
  output.line(`${output.tone('bad', 'stopped')}  ${scope}`);
  output.line(`    lift it  surety stop --lift ${scope} --reason "…"`);
};

export const listStops: RunCommand = async ({ place, output }) => {
  const { stops } = await connectDaemon(place).call('GET /v1/stops', {});
  output.value({ stops });
  for (const { scope, by, at, reason } of stops) {
    const since = new Date(at).toISOString();
    output.line(`${output.tone('bad', scope)}  by ${by} since ${since}: ${reason}`);
  }
  if (stops.length === 0) output.line('Nothing is stopped.');
};
