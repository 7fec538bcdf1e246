import type { OperationResponse } from '../../../http/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';
import { cliLimits } from '../../limits.ts';
import { serviceNames } from './add.ts';
import { readContext } from './read-placement.ts';

type Context = OperationResponse<'POST /v1/probes/context'>;

export const context: RunCommand = async (invocation) => {
  const { place, output } = invocation;
  const body = readContext(invocation, await serviceNames(invocation));
  const options = { answerMsMax: cliLimits.systemAnswerMsMax };
  const found = await connectDaemon(place).call('POST /v1/probes/context', { body }, options);
  output.value(found);
  printContext(found, output);
};

function printContext(found: Context, output: Output): void {
  const { file, fromLine, toLine, pid, runtime, observedMs } = found;
  output.line(visible(`${file}:${fromLine}-${toLine}  pid ${pid}  ${runtime}  ${observedMs} ms`));
  for (const one of found.functions) printFunction(one, output);
  for (const { line, text, ways } of found.branches) {
    output.line(visible(`line ${line}  ${text}  ${formatCounts(ways)}`));
  }
  for (const { line, expression, isAnswer, types } of found.values) {
    const name = isAnswer ? `await ${expression}` : expression;
    output.line(visible(`line ${line}  ${name}  ${formatCounts(types)}`));
  }
  for (const { line, what, reason } of found.missing) {
    output.line(output.tone('dim', visible(`line ${line}  no ${what}: ${reason}`)));
  }
}

function printFunction(one: Context['functions'][number], output: Output): void {
  const { durationMs, callers } = one;
  const took = durationMs ? `, p50 ${durationMs.p50} ms, p99 ${durationMs.p99} ms` : '';
  output.line(visible(`line ${one.line}  ${one.function}  about ${one.calls} calls${took}`));
  for (const [name, types] of Object.entries(one.arguments)) {
    output.line(visible(`    ${name}  ${formatCounts(types)}`));
  }
  for (const caller of callers) {
    const name = caller.function || '(anonymous)';
    output.line(visible(`    called by ${name}  ${caller.file}:${caller.line}  ${caller.count} ×`));
  }
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).map(([name, count]) => `${name} ${count} ×`);
  return entries.join(', ') || 'not seen';
}
