import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';

export const run: Run = async ({ place, output }) => {
  const { alerts } = await connectDaemon(place).call('GET /v1/alerts', {});
  output.value({ alerts });
  for (const { alert, service, metric, from, to, at } of alerts) {
    const when = new Date(at).toISOString();
    output.line(`${output.tone('bad', alert)}  ${service} ${metric} ${from} → ${to}, ${when}`);
  }
  if (alerts.length === 0) output.line('No alert was raised.');
  return alerts.length === 0 ? exitCodes.ok : exitCodes.bad;
};
