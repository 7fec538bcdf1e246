import type { OperationResponse } from '../../../http/index.ts';
import { formatBudget } from '../../../kernel/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { visible } from '../../format/visible.ts';
import { showSaid, verdictTone } from './rule-lines.ts';

type Explanation = OperationResponse<'GET /v1/proposals/{proposal}'>;

export const run: RunCommand = async ({ place, output, words: [proposal = ''] }) => {
  const path = { proposal };
  const explained = await connectDaemon(place).call('GET /v1/proposals/{proposal}', { path });
  output.value(explained);
  const { actor, tool, decision, status, wouldBe, policy, said, history, refusedReport } =
    explained;
  const tone = verdictTone(decision);
  output.line(`${output.tone(tone, decision)}  ${actor} ${visible(tool)}, now ${status}`);
  if (wouldBe) {
    output.line(`    ${output.tone('warn', `observed: it would be ${wouldBe} if enforced`)}`);
  }
  output.line(`    arguments  ${shownArguments(explained)}`);
  output.line(`    policy     ${policy ?? 'none'}`);
  for (const line of chargeLines(explained)) output.line(`    charged    ${line}`);
  showSaid(said, output);
  if (said.length === 0) output.line('    no rule applied');
  if (refusedReport) {
    const { seq, reported } = refusedReport;
    const text = `its executor reported ${reported} (entry ${seq}), which was refused`;
    output.line(`    ${output.tone('warn', text)}`);
  }
  for (const { seq, at, kind, actor: by } of history) {
    output.line(output.tone('dim', `    ${new Date(at).toISOString()}  ${seq}  ${kind}  ${by}`));
  }
};

function shownArguments({ arguments: given, argumentsHash }: Explanation): string {
  const hash = `sha256 ${argumentsHash}`;
  return given === null ? `forgotten (${hash})` : `${visible(JSON.stringify(given))} (${hash})`;
}

function chargeLines({ charges }: Explanation): string[] {
  const list = charges as { account: string; budget: string; amount: number }[];
  return list.map(({ account, budget, amount }) => {
    const whose = account.replace(/^(?:account|task)\//, '');
    return `${amount} ${formatBudget(budget)} of ${whose}`;
  });
}
