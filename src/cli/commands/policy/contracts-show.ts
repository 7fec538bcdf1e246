import type { JsonObject } from '../../../kernel/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { contractLines } from './contract-lines.ts';

export const run: RunCommand = async ({ place, output, arguments: [tool = ''] }) => {
  const shown = await connectDaemon(place).call('GET /v1/contracts/{tool}', { path: { tool } });
  output.value(shown);
  const { mode, agents } = shown;
  const document = shown.document as JsonObject;
  const tone = mode === 'enforce' ? 'good' : 'warn';
  output.line(`${output.tone('bold', tool)}  ${document.effect}  ${output.tone(tone, mode)}`);
  if (document.description) output.line(`    ${document.description}`);
  output.line(`    agents    ${agents.join(', ') || 'none'}`);
  for (const { title, lines } of contractLines(document)) {
    output.line(output.tone('dim', title));
    for (const line of lines) output.line(`    ${line}`);
  }
  return exitCodes.ok;
};
