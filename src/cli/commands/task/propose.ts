import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { readPatch } from '../verify/patch-file.ts';

export const run: RunCommand = async ({ place, output, arguments: [task = '', file = '-'] }) => {
  const body = { patch: readPatch(file) };
  const client = connectDaemon(place);
  const admitted = await client.call('POST /v1/tasks/{task}/change', { path: { task }, body });
  output.value(admitted);
  const services = admitted.services.join(', ');
  output.line(`${output.tone('good', 'admitted')}  ${admitted.change}, touches ${services}`);
  return exitCodes.ok;
};
