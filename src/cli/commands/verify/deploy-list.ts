import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { deployments } = await connectDaemon(place).call('GET /v1/deployments', {});
  output.value({ deployments });
  for (const { at, kind, service, version, previous, actor, note } of deployments) {
    const what = `${service || 'all services'} ${version.slice(0, 20)}`;
    const before = previous === '' ? '' : ` (previously ${previous.slice(0, 20)})`;
    const when = new Date(at).toISOString();
    output.line(visible(`${when}  ${kind}  ${what}${before}  ${actor}  ${note}`.trimEnd()));
  }
  if (deployments.length === 0) output.line('Nothing was deployed, promoted or configured.');
  return exitCodes.ok;
};
