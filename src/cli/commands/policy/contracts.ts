import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const listed = await connectDaemon(place).call('GET /v1/contracts', {});
  output.value(listed);
  for (const { tool, effect, mode, rules, evidence, approval } of listed.contracts) {
    const tone = mode === 'enforce' ? 'good' : 'warn';
    const parts = [
      ...rules.map(({ rule }) => rule),
      ...evidence.map((kind) => `evidence ${kind}`),
      ...(approval ? [`approval by ${approval}`] : []),
    ];
    const said = parts.length > 0 ? parts.join(', ') : 'arguments only';
    output.line(`${tool}  ${effect}  ${output.tone(tone, mode)}  ${output.tone('dim', said)}`);
  }
  if (listed.contracts.length === 0) {
    output.line('No tool has a contract. docs/guard.md shows the way to the first one.');
  }
  return exitCodes.ok;
};
