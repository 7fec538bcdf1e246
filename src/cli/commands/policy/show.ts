import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';

export const run: RunCommand = async ({ place, output }) => {
  const shown = await connectDaemon(place).call('GET /v1/policy', {});
  const { hash, mode, file, environment, adoptedAt, adoptedSeq, tools, agents, problem } = shown;
  output.value(shown);
  if (problem) {
    const kept =
      hash === null ? 'none is in force: agents are denied' : 'the last valid one stays in force';
    const since = new Date(problem.at).toISOString();
    output.line(output.tone('bad', `REJECTED  the file on disk since ${since}; ${kept}`));
    for (const line of problem.reason.split('\n')) output.line(output.tone('bad', `    ${line}`));
    output.line('    try       surety policy check');
  }
  if (hash === null) output.line(`${output.tone('bad', 'none')}  no policy is in force`);
  else {
    output.line(`${output.tone(mode === 'enforce' ? 'good' : 'warn', mode)}  ${hash}`);
    const at = adoptedAt === null ? 'never' : new Date(adoptedAt).toISOString();
    output.line(`    adopted   ${at}, entry ${adoptedSeq}`);
  }
  output.line(`    file      ${file ?? 'none: agents of surety.yaml only'}`);
  if (environment) output.line(`    for       ${environment}`);
  const other = tools.filter((tool) => tool.mode !== mode).map((tool) => tool.tool);
  const except = other.length > 0 ? `, but not ${other.join(', ')}` : '';
  output.line(`    tools     ${tools.length}${except}`);
  output.line(`    agents    ${agents.join(', ') || 'none'}`);
  return problem ? exitCodes.bad : exitCodes.ok;
};
