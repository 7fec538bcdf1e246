import type { OperationResponse } from '../../../http/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';

export const run: RunCommand = async ({ place, output }) => {
  const answer = await connectDaemon(place).call('GET /v1/alerts', {});
  const { alerts, all } = answer;
  output.value(answer);
  for (const alert of alerts) output.line(lineOf(alert, output));
  if (all > alerts.length) output.line(`${all - alerts.length} older ones are not shown.`);
  if (alerts.length === 0) output.line('No alert was raised.');
  return alerts.some(({ state }) => state === 'firing') ? exitCodes.bad : exitCodes.ok;
};

type Alert = OperationResponse<'GET /v1/alerts'>['alerts'][number];

function lineOf({ alert, state, source, service, metric, ...rest }: Alert, output: Output): string {
  const { from, to, note, at } = rest;
  const name = output.tone(state === 'firing' ? 'bad' : 'good', visible(alert));
  const rise = from === null || to === null ? '' : `${from} → ${to}`;
  const about = [service, metric, rise].filter((part) => part !== '').join(' ');
  const origin = source === 'surety' ? '' : ` ${state}, by ${source}${note ? `: ${note}` : ''}`;
  return `${name}  ${visible(about)}, ${new Date(at).toISOString()}${visible(origin)}`;
}
