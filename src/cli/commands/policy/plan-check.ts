import { readFileSync } from 'node:fs';
import { gateLimits } from '../../../gate/limits.ts';
import type { OperationInput } from '../../../http/contract.ts';
import { fault, parseStrictJson } from '../../../kernel/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { showSaid, verdictTone } from '../gate/rule-lines.ts';

type Body = OperationInput<'POST /v1/plans/check'>['body'];

export const run: RunCommand = async ({ place, output, words: [path = '-'], options }) => {
  const steps = readPlan(path);
  const agent = typeof options.agent === 'string' ? { agent: options.agent } : {};
  const client = connectDaemon(place);
  const judged = await client.call('POST /v1/plans/check', { body: { steps, ...agent } });
  output.value(judged);
  judged.steps.forEach(({ tool, verdict, wouldBe, said, assumes, repeats }, index) => {
    const observed = wouldBe ? output.tone('warn', ` (observed: ${wouldBe} if enforced)`) : '';
    const again = repeats ? `, answered with the outcome of ${repeats}` : '';
    const tone = verdictTone(verdict);
    output.line(`${index + 1}. ${output.tone(tone, verdict)}  ${tool}${observed}${again}`);
    showSaid(said, output);
    for (const one of assumes) output.line(`    ${output.tone('dim', 'assumed')}  ${one}`);
  });
  return judged.ok ? exitCodes.ok : exitCodes.bad;
};

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? process.stdin.fd : path, 'utf8');
  } catch (error) {
    const reason = `the plan could not be read: ${(error as Error).message}`;
    throw fault('USAGE', { reason, help: 'surety plan check --help' }, error);
  }
}

function readPlan(path: string): Body['steps'] {
  const plan = parseStrictJson(readText(path));
  if (Array.isArray(plan) && plan.length > 0) return plan as Body['steps'];
  const reason = `a plan is a list of 1 to ${gateLimits.planStepsMax} steps {tool, arguments}`;
  throw fault('USAGE', { reason, help: 'surety plan check --help' });
}
