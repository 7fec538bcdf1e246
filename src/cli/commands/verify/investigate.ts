import { writeFileSync } from 'node:fs';
import type { OperationResponse } from '../../../http/index.ts';
import { exitCodes, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { cliLimits } from '../../limits.ts';

type Investigation = OperationResponse<'POST /v1/investigations'>;
type CauseFacts = Investigation['cause']['differences'][number]['failing'];

export const run: RunCommand = async ({ place, output, words: [alert], options }) => {
  output.progress('probing the running version and the one before it …');
  const body = alert === undefined ? {} : { alert };
  const client = connectDaemon(place);
  const found = await client.call(
    'POST /v1/investigations',
    { body },
    { answerMsMax: cliLimits.systemAnswerMsMax },
  );
  output.value(found);
  tell(found, output);
  if (typeof options.remedy === 'string') {
    writeFileSync(options.remedy, found.remedy);
    output.line(`    remedy     ${options.remedy} (promote it: surety promote)`);
  }
  return found.cause.confirmed ? exitCodes.ok : exitCodes.bad;
};

function tell({ suspect, cause, regression }: Investigation, output: Output): void {
  const { place, confirmed, missing, differences, checks } = cause;
  const word = confirmed ? output.tone('good', 'confirmed') : output.tone('warn', 'unconfirmed');
  output.line(`${word}  ${place.file}:${place.line}  ${place.text}`);
  const by = `promoted by ${suspect.by}`;
  output.line(
    `    suspect    ${suspect.services.join(', ')} ${suspect.commit.slice(0, 10)}, ${by}`,
  );
  for (const { expression, failing, healthy } of differences) {
    output.line(
      `    captured   ${expression} is ${show(failing)} now, ${show(healthy)} before the change`,
    );
  }
  for (const { suite, check } of checks) output.line(`    fails      ${suite}: ${check}`);
  if (missing) output.line(`    missing    ${missing}`);
  if (!regression) return;
  const proof = `fails on the bad version: ${yes(regression.fails)}, passes on the good one: ${yes(regression.passes)}`;
  output.line(`    case       ${regression.id} ${proof}`);
}

function show({ types, samples }: CauseFacts): string {
  return `${types.join(' or ')} (${samples.map((sample) => JSON.stringify(sample)).join(', ')})`;
}

const yes = (value: boolean): string => (value ? 'yes' : 'no');
