import type { Run } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showSystem } from './system-table.ts';

export const run: Run = async ({ place, output }) =>
  showSystem(await connectDaemon(place).call('GET /v1/system', {}), output);
