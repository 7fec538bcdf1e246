import type { OperationResponse } from '../../../http/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';
import { showAsked } from './answer-lines.ts';
import { askedOptions } from './question-options.ts';

type Graph = OperationResponse<'GET /v1/telemetry/graph'>;

export const run: RunCommand = async ({ place, output, options }) => {
  const { service, lane, since } = askedOptions(options);
  const query = {
    ...(service === undefined ? {} : { service }),
    ...(lane === undefined ? {} : { lane }),
    ...(since === undefined ? {} : { since }),
  };
  const graph = await connectDaemon(place).call('GET /v1/telemetry/graph', { query });
  output.value(graph);
  output.line(output.tone('bold', visible(graph.said)));
  for (const line of graph.drawn) output.line(visible(line));
  if (options.shapes) for (const edge of graph.edges) showShapes(edge, output);
  showAsked(graph, output);
};

function showShapes(
  { caller, callee, lane, shapes }: Graph['edges'][number],
  output: Output,
): void {
  if (shapes.length === 0) return;
  output.line(`\n${output.tone('bold', visible(`${caller} → ${callee}`))}  ${visible(lane)}`);
  for (const { call, request, response } of shapes) {
    output.line(`  ${visible(call)}`);
    showFields('request', request, output);
    showFields('response', response, output);
  }
}

function showFields(side: string, shape: Record<string, readonly string[]>, output: Output): void {
  const fields = Object.entries(shape).filter(([field]) => field !== '');
  const fieldLines = fields.map(([field, types]) => `${field}: ${types.join(' | ')}`);
  if (fieldLines.length > 0)
    output.line(output.tone('dim', `    ${side}  ${visible(fieldLines.join(', '))}`));
}
