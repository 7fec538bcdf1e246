import type { OperationResponse } from '../http/index.ts';
import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import type { Output } from './output.ts';
import { readPatch } from './patch-file.ts';
import { systemMsMax } from './system-table.ts';

type Verdict = OperationResponse<'POST /v1/verdicts'>;

const tones = { pass: 'good', fail: 'bad', inconclusive: 'warn' } as const;

export const run: Run = async ({ place, output, arguments: [path = '-'], options }) => {
  const body = {
    patch: readPatch(path),
    ...(options.suite ? { suites: [String(options.suite)] } : {}),
    ...(options.base ? { base: String(options.base) } : {}),
  };
  output.progress('opening lanes, running suites …');
  const client = connectDaemon(place);
  const verdict = await client.call('POST /v1/verdicts', { body }, { answerMsMax: systemMsMax });
  output.value(verdict);
  tell(verdict, output);
  return verdict.verdict === 'pass' ? exitCodes.ok : exitCodes.bad;
};

function tell(verdict: Verdict, output: Output): void {
  const { services, reach, findings } = verdict;
  output.line(`${output.tone(tones[verdict.verdict], verdict.verdict)}  ${verdict.reason}`);
  output.line(`    changed  ${services.join(', ')}`);
  for (const { service, sent, served } of reach.candidates) {
    output.line(`    reach    ${service} served ${served} of ${sent} requests sent to it`);
  }
  for (const finding of findings) for (const line of describe(finding)) output.line(`    ${line}`);
}

function describe(finding: Verdict['findings'][number]): string[] {
  if (finding.kind === 'wire') {
    const { hop, part, field, before, after, sampleBefore, sampleAfter } = finding;
    const samples = `${JSON.stringify(sampleBefore)} → ${JSON.stringify(sampleAfter)}`;
    return [`wire     ${hop}, ${part} ${field}: ${before} → ${after}  (${samples})`];
  }
  const { suite, check, expected, actual, path, logs, reproduction } = finding;
  return [
    `check    ${suite}: ${check}`,
    `           expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`,
    ...path.map((hop) => `           ${hop}`),
    ...logs.map((line) => `           log  ${line.slice(0, 160)}`),
    `           again: ${reproduction}`,
  ];
}
