import type { OperationResponse } from '../../../http/contract.ts';
import { fault } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';

export const recordTraffic: RunCommand = async ({ place, output, options }) => {
  const body = { on: options.stop !== true };
  const { recording } = await connectDaemon(place).call('POST /v1/traffic/recording', { body });
  output.value({ recording });
  output.line(recording ? 'Recording.' : 'Not recording. Recorded requests are kept.');
};

type Scenario = OperationResponse<'GET /v1/traffic'>['scenarios'][number];

export const listTraffic: RunCommand = async ({ place, output }) => {
  const { scenarios, recording } = await connectDaemon(place).call('GET /v1/traffic', {});
  output.value({ recording, scenarios: scenarios.map(brief) });
  output.line(
    recording ? 'Recording.' : 'Not recording: surety traffic record says why, or starts.',
  );
  for (const scenario of scenarios) output.line(visible(formatScenario(scenario)));
  if (scenarios.length === 0) output.line('Nothing is kept.');
};

function brief({ id, at, requests }: Scenario) {
  return {
    id,
    at,
    requests: requests.map(({ method, path, status }) => ({ method, path, status })),
  };
}

const toldMax = 3;

function formatScenario({ id, at, requests }: Scenario): string {
  const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  const lines = requests.map(({ method, path }) => `${method} ${path}`);
  const more = lines.length > toldMax ? `, and ${lines.length - toldMax} more` : '';
  return `${id}  ${time}  ${lines.slice(0, toldMax).join(', ')}${more}`;
}

type Request = OperationResponse<'GET /v1/traffic'>['scenarios'][number]['requests'][number];

export const showTraffic: RunCommand = async ({ place, output, words: [id = ''] }) => {
  const { scenarios } = await connectDaemon(place).call('GET /v1/traffic', {});
  const scenario = scenarios.find((one) => one.id === id);
  if (!scenario) throw fault('TRAFFIC_UNKNOWN', { scenario: id });
  output.value(scenario);
  for (const line of scenario.requests.flatMap(formatRequest)) output.line(visible(line));
};

function formatRequest(request: Request): string[] {
  const { method, path, status, headers, body, credentials, withheld } = request;
  return [
    `${method} ${path} → ${status}`,
    ...headers.map(([name, value]) => `  ${name}: ${value}`),
    ...credentials.map((name) => `  ${name}: (not kept)`),
    ...(withheld.length > 0 ? [`  not sent again: a secret was in ${withheld.join(', ')}`] : []),
    ...(body === null ? [] : [`  ${body}`]),
  ];
}

export const clearTraffic: RunCommand = async ({ place, output }) => {
  const { scenarios } = await connectDaemon(place).call('POST /v1/traffic/clear', {});
  output.value({ scenarios });
  output.line(`Deleted the requests of ${scenarios} client${scenarios === 1 ? '' : 's'}.`);
};
