import { setTimeout as delay } from 'node:timers/promises';
import { apiLimits } from '../../../http/limits.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { wholeNumber } from '../../options/whole-number.ts';

const lookEveryMs = 500;

export const run: RunCommand = async ({ place, output, arguments: [service = ''], options }) => {
  const client = connectDaemon(place);
  const asked = wholeNumber('--lines', options.lines, 100);
  let wanted = { lines: Math.min(asked, apiLimits.apiPageEntriesMax) } as {
    lines: number;
    after?: number;
  };
  for (;;) {
    const query = wanted;
    const part = await client.call('GET /v1/system/{service}/log', { path: { service }, query });
    for (const line of part.lines) {
      output.value({ service, line });
      output.line(line);
    }
    if (!options.follow) return exitCodes.ok;
    wanted = { lines: apiLimits.apiPageEntriesMax, after: part.next };
    await delay(lookEveryMs);
  }
};
