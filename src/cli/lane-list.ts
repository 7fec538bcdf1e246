import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';

export const run: Run = async ({ place, output }) => {
  const { lanes } = await connectDaemon(place).call('GET /v1/lanes', {});
  output.value({ lanes });
  for (const { lane, candidates, openedBy, expiresAt } of lanes) {
    const services = candidates.map(({ service }) => service).join(', ') || 'the baseline';
    output.line(`${lane}  ${services}  by ${openedBy}, until ${new Date(expiresAt).toISOString()}`);
  }
  if (lanes.length === 0) output.line('No lane is open.');
  return exitCodes.ok;
};
