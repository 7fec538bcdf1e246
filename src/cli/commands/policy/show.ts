import type { OperationResponse } from '../../../http/index.ts';
import { type ExitCode, exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';

export const run: RunCommand = async ({ place, output }) =>
  printPolicy(await connectDaemon(place).call('GET /v1/policy', {}), output);

export const adoptPolicy: RunCommand = async ({ place, output }) =>
  printPolicy(await connectDaemon(place).call('POST /v1/policy/adopt', {}), output);

function printPolicy(shown: OperationResponse<'GET /v1/policy'>, output: Output): ExitCode {
  const { hash, version, mode, file, environment, adoptedAt, adoptedSeq, tools, agents, problem } =
    shown;
  output.value(shown);
  if (problem) {
    const kept =
      hash === null ? 'no policy is in force: agents are denied' : 'another policy is in force';
    const since = new Date(problem.at).toISOString();
    output.line(output.tone('bad', `NOT IN FORCE  the file on disk since ${since}; ${kept}`));
    for (const line of problem.reason.split('\n')) output.line(output.tone('bad', `    ${line}`));
    output.line('    try       surety policy check');
  }
  if (hash === null) output.line(`${output.tone('bad', 'none')}  no policy is in force`);
  else {
    output.line(`${output.tone(mode === 'enforce' ? 'good' : 'warn', mode)}  ${hash}`);
    const at = adoptedAt === null ? 'never' : new Date(adoptedAt).toISOString();
    const number = version === null ? '' : `, version ${version}`;
    output.line(`    adopted   ${at}, entry ${adoptedSeq}${number}`);
  }
  output.line(`    file      ${file ?? 'none: agents of surety.yaml only'}`);
  if (environment) output.line(`    for       ${environment}`);
  const other = tools.filter((tool) => tool.mode !== mode).map((tool) => tool.tool);
  const except = other.length > 0 ? `, but not ${other.join(', ')}` : '';
  output.line(`    tools     ${tools.length}${except}`);
  output.line(`    agents    ${agents.join(', ') || 'none'}`);
  return problem ? exitCodes.bad : exitCodes.ok;
}
