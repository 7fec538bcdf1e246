import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';
import { neededOption } from '../../options/required-option.ts';
import { wholeNumber } from '../../options/whole-number.ts';

const usualDays = 14;

export const run: RunCommand = async ({ place, output, arguments: [finding = ''], options }) => {
  const reason = neededOption('verdict dispute', '--reason', options.reason);
  const days = wholeNumber('--days', options.days, usualDays);
  const body = { finding, reason, days };
  const disputed = await connectDaemon(place).call('POST /v1/disputes', { body });
  output.value(disputed);
  const until = new Date(disputed.until).toISOString().slice(0, 10);
  const told = days === 0 ? 'is a finding again' : `fails nothing until ${until}: ${reason}`;
  output.line(`${output.tone('warn', 'disputed')}  ${finding} ${visible(told)}`);
  return exitCodes.ok;
};
