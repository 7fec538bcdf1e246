import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';
import { neededOption } from '../../options/required-option.ts';

export const recordDeployment: RunCommand = async ({ place, output, options }) => {
  const needed = (flag: string): string =>
    neededOption('deploy record', `--${flag}`, options[flag]);
  const given = (flag: string) =>
    typeof options[flag] === 'string' ? { [flag]: options[flag] } : {};
  const body = {
    service: needed('service'),
    version: needed('version'),
    ...given('previous'),
    ...given('note'),
  };
  const key = typeof options.key === 'string' ? { key: options.key } : {};
  const recorded = await connectDaemon(place).call('POST /v1/deployments', { body }, key);
  output.value(recorded);
  const before = recorded.previous === '' ? '' : `, before it ${recorded.previous}`;
  output.line(`${output.tone('good', 'recorded')}  ${body.service} ${body.version}${before}`);
};

export const listDeployments: RunCommand = async ({ place, output }) => {
  const { deployments } = await connectDaemon(place).call('GET /v1/deployments', {});
  output.value({ deployments });
  for (const { at, kind, service, version, previous, actor, note } of deployments) {
    const what = `${service || 'all services'} ${version.slice(0, 20)}`;
    const before = previous === '' ? '' : ` (previously ${previous.slice(0, 20)})`;
    const when = new Date(at).toISOString();
    output.line(visible(`${when}  ${kind}  ${what}${before}  ${actor}  ${note}`.trimEnd()));
  }
  if (deployments.length === 0) output.line('Nothing was deployed, promoted or configured.');
};
