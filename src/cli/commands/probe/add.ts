import type { OperationResponse } from '../../../http/index.ts';
import { fault } from '../../../kernel/index.ts';
import type { Invocation, RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';
import { readPlacement } from './read-placement.ts';

export const add: RunCommand = async (invocation) => {
  const { place, output } = invocation;
  const body = readPlacement(invocation, await serviceNames(invocation));
  const probe = await connectDaemon(place).call('POST /v1/probes', { body });
  output.value(probe);
  output.line(`${output.tone('good', 'placed')}  ${probe.probe}  ${probe.kind}`);
  for (const { pid, runtime, place: at, cost } of probe.instances) {
    output.line(`  pid ${pid}  ${runtime}  ${visible(formatPlace(at))}`);
    if (at?.drift) output.line(`  ${output.tone('warn', visible(at.drift))}`);
    if (cost) output.line(output.tone('dim', `  ${formatCost(cost)}`));
  }
  output.line(output.tone('dim', `  surety probe tail ${probe.probe}`));
};

export const check: RunCommand = async (invocation) => {
  const { place, output } = invocation;
  const body = readPlacement(invocation, await serviceNames(invocation));
  const checked = await connectDaemon(place).call('POST /v1/probes/check', { body });
  output.value(checked);
  for (const instance of checked.instances) printChecked(instance, output);
};

type Checked = OperationResponse<'POST /v1/probes/check'>['instances'][number];

function printChecked({ pid, runtime, place, cost }: Checked, output: Output): void {
  output.line(`pid ${pid}  ${runtime}`);
  output.line(`  place  ${visible(formatPlace(place))}`);
  output.line(`  code   ${visible(place.text)}`);
  if (place.generated) {
    const { file, line, column } = place.generated;
    output.line(`  runs   ${visible(file)}:${line}:${column}`);
  }
  if (place.drift) output.line(`  ${output.tone('warn', visible(place.drift))}`);
  output.line(`  cost   ${formatCost(cost)}`);
}

function formatPlace(place: Checked['place'] | null): string {
  return place ? `${place.file}:${place.line} in ${place.function}` : 'its file is not loaded yet';
}

function formatCost({ attachMs, perHitMs }: Checked['cost']): string {
  return `predicted: ${attachMs} ms once, ${perHitMs} ms per hit`;
}

/** Only needed where nobody said which one. */
export async function serviceNames({ place, options }: Invocation): Promise<readonly string[]> {
  if (options.service !== undefined || options.pid !== undefined) return [];
  const { services } = await connectDaemon(place).call('GET /v1/system', {});
  if (services.length > 0) return services.map(({ service }) => service);
  throw fault('USAGE', {
    reason: 'no service runs; name a process with --pid',
    help: 'surety probe add --help',
  });
}
