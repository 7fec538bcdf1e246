import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';

export const run: Run = async ({ place, output, arguments: [lane = ''] }) => {
  const found = await connectDaemon(place).call('GET /v1/lanes/{lane}/reach', { path: { lane } });
  const { reach, paths } = found;
  output.value(found);
  output.line(reach.proven ? output.tone('good', 'reached') : output.tone('bad', 'not reached'));
  for (const { service, sent, served } of reach.candidates) {
    output.line(`    ${service}: served ${served} of ${sent} requests sent to it`);
  }
  for (const path of paths) output.line(`    ${path}`);
  return reach.proven ? exitCodes.ok : exitCodes.bad;
};
