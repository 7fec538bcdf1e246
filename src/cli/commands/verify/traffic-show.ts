import type { OperationResponse } from '../../../http/contract.ts';
import { fault } from '../../../kernel/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';

type Request = OperationResponse<'GET /v1/traffic'>['scenarios'][number]['requests'][number];

export const run: RunCommand = async ({ place, output, arguments: [id = ''] }) => {
  const { scenarios } = await connectDaemon(place).call('GET /v1/traffic', {});
  const scenario = scenarios.find((one) => one.id === id);
  if (!scenario) throw fault('TRAFFIC_UNKNOWN', { scenario: id });
  output.value(scenario);
  for (const line of scenario.requests.flatMap(tell)) output.line(visible(line));
  return exitCodes.ok;
};

function tell(request: Request): string[] {
  const { method, path, status, headers, body, credentials, withheld } = request;
  return [
    `${method} ${path} → ${status}`,
    ...headers.map(([name, value]) => `  ${name}: ${value}`),
    ...credentials.map((name) => `  ${name}: (not kept)`),
    ...(withheld.length > 0 ? [`  not sent again: a secret was in ${withheld.join(', ')}`] : []),
    ...(body === null ? [] : [`  ${body}`]),
  ];
}
