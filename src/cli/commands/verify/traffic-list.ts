import type { OperationResponse } from '../../../http/contract.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';

type Scenario = OperationResponse<'GET /v1/traffic'>['scenarios'][number];

export const run: RunCommand = async ({ place, output }) => {
  const { scenarios, recording } = await connectDaemon(place).call('GET /v1/traffic', {});
  output.value({ recording, scenarios: scenarios.map(brief) });
  output.line(
    recording ? 'Recording.' : 'Not recording: surety traffic record says why, or starts.',
  );
  for (const scenario of scenarios) output.line(visible(tell(scenario)));
  if (scenarios.length === 0) output.line('Nothing is kept.');
  return exitCodes.ok;
};

function brief({ id, at, requests }: Scenario) {
  return {
    id,
    at,
    requests: requests.map(({ method, path, status }) => ({ method, path, status })),
  };
}

const toldMax = 3;

function tell({ id, at, requests }: Scenario): string {
  const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  const lines = requests.map(({ method, path }) => `${method} ${path}`);
  const more = lines.length > toldMax ? `, and ${lines.length - toldMax} more` : '';
  return `${id}  ${time}  ${lines.slice(0, toldMax).join(', ')}${more}`;
}
