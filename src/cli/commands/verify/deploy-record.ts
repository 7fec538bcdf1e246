import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { neededOption } from '../../options/required-option.ts';

export const run: RunCommand = async ({ place, output, options }) => {
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
  return exitCodes.ok;
};
