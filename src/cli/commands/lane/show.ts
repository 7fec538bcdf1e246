import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { laneLines } from './lane-lines.ts';

export const run: RunCommand = async ({ place, output, arguments: [lane = ''] }) => {
  const shown = await connectDaemon(place).call('GET /v1/lanes/{lane}', { path: { lane } });
  output.value(shown);
  const pids = new Map(shown.processes.map(({ service, pid }) => [service, pid]));
  const state = (service: string): string => {
    const pid = pids.get(service) ?? null;
    return pid === null ? output.tone('bad', 'ended') : output.tone('good', `pid ${pid}`);
  };
  for (const line of laneLines(shown.lane, shown.address, state)) output.line(line);
  return shown.processes.every(({ pid }) => pid !== null) ? exitCodes.ok : exitCodes.bad;
};
