import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const { datastores } = await connectDaemon(place).call('GET /v1/datastores', {});
  output.value({ datastores });
  for (const { store, kind, template, lanes } of datastores) {
    const age = template && `${Math.round(template.ageMs / 60_000)} min old`;
    const size = template && `${(template.bytes / 1_048_576).toFixed(1)} MB`;
    output.line(`${store}  ${kind}  ${template ? `template ${age}, ${size}` : 'no template'}`);
    for (const lane of lanes) output.line(`    own in ${lane}`);
  }
  if (datastores.length === 0) output.line('surety.yaml names no datastore.');
  return exitCodes.ok;
};
