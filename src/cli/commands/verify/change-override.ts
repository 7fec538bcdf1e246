import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { neededOption } from '../../options/required-option.ts';
import { changeSource } from './change-source.ts';

export const run: RunCommand = async (invocation) => {
  const { place, output, options } = invocation;
  const reason = neededOption('change override', '--reason', options.reason);
  const body = { ...changeSource('change override', invocation), reason };
  const allowed = await connectDaemon(place).call('POST /v1/overrides', { body });
  output.value(allowed);
  output.line(`${output.tone('good', 'allowed')}  ${allowed.change}`);
  for (const file of allowed.files) output.line(`    ${file}`);
};
