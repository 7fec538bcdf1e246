import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showSystem } from './system-table.ts';

export const run: RunCommand = async ({ place, output }) =>
  showSystem(await connectDaemon(place).call('GET /v1/system', {}), output);
