import { writeFileSync } from 'node:fs';
import type { OperationResponse } from '../../../http/index.ts';
import { fault } from '../../../kernel/index.ts';
import { exitCodes, type Invocation, type RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import type { Output } from '../../format/output.ts';
import { visible } from '../../format/visible.ts';
import { cliLimits } from '../../limits.ts';

type Investigation = OperationResponse<'POST /v1/investigations'>;
type CauseFacts = Investigation['cause']['differences'][number]['failing'];

export const run: RunCommand = async ({ place, output, words: [asked], options }) => {
  output.progress('testing the last promoted changes with probes in the running version …');
  const body = asked === undefined ? {} : requestOf(asked.trim());
  const found = await connectDaemon(place).call(
    'POST /v1/investigations',
    { body },
    { answerMsMax: cliLimits.systemAnswerMsMax },
  );
  output.value(found);
  if (!(await writeReports(found, { options, output }))) printReport(found, output);
  if (typeof options.remedy === 'string' && found.remedy !== '') {
    write(options.remedy, found.remedy);
    output.line(`    remedy     ${options.remedy} (verify it, then: surety promote)`);
  }
  return found.status === 'confirmed' ? exitCodes.ok : exitCodes.unclear;
};

/** A question has words, an incident an id, an alert a name. */
function requestOf(asked: string): { question: string } | { incident: string } | { alert: string } {
  if (/\s/.test(asked)) return { question: asked };
  return asked.startsWith('inc_') ? { incident: asked } : { alert: asked };
}

/** True if a report went to standard output, in place of the summary. */
async function writeReports(
  found: Investigation,
  { options, output }: Pick<Invocation, 'options' | 'output'>,
): Promise<boolean> {
  const { formatHtml, formatMarkdown } = await import('../../../investigate/report/index.ts');
  const forms = { markdown: formatMarkdown, html: formatHtml };
  let isPrinted = false;
  for (const [form, format] of Object.entries(forms)) {
    const file = options[form];
    if (typeof file !== 'string') continue;
    if (file === '-') {
      await output.raw(format(found));
      isPrinted = true;
    } else write(file, format(found));
  }
  return isPrinted;
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const reason = `${file} cannot be written: ${(error as Error).message}`;
    throw fault('USAGE', { reason, help: 'surety investigate --help' }, error);
  }
}

function printReport(found: Investigation, output: Output): void {
  const { cause, suspect, regression, hypotheses, owners, unknown, ranking } = found;
  const { place, differences, effects, checks } = cause;
  if (place) {
    output.line(`${output.tone('good', 'confirmed')}  ${place.file}:${place.line}  ${place.text}`);
  } else if (cause.condition) printCondition(cause.condition, output);
  else output.line(output.tone('warn', 'unknown'));
  if (suspect) {
    const version = suspect.commit.slice(0, 10);
    output.line(
      `    since      ${suspect.services.join(', ')} ${version}, promoted by ${suspect.by}`,
    );
  }
  for (const { predicate, failing, healthy } of differences) {
    output.line(
      `    captured   ${predicate}; failing: ${show(failing)}, healthy: ${show(healthy)}`,
    );
  }
  for (const { service, file, line, expression, failing, healthy } of effects) {
    const where = `${service} ${file}:${line}`;
    output.line(
      `    effect     ${where} ${expression}: ${show(failing)}, healthy: ${show(healthy)}`,
    );
  }
  for (const { suite, check } of checks) output.line(`    fails      ${suite}: ${check}`);
  const refuted = new Set(
    hypotheses.filter(({ status }) => status === 'refuted').map((one) => one.suspect),
  );
  if (suspect) refuted.delete(suspect.commit);
  for (const commit of refuted) output.line(`    refuted    ${commit.slice(0, 10)}`);
  if (owners.length > 0) output.line(`    owner      ${owners.join(', ')}`);
  for (const { service, moved } of cause.confirmed ? [] : ranking.slice(0, 3)) {
    output.line(`    suspicion  ${service} ${moved}`);
  }
  for (const line of unknown) output.line(`    unknown    ${line}`);
  if (!regression) return;
  const proof = `fails on the bad version: ${yes(regression.fails)}, passes on the good one: ${yes(regression.passes)}`;
  output.line(`    case       ${regression.id} ${proof}`);
}

function printCondition(condition: Investigation['conditions'][number], output: Output): void {
  const { statement, place, evidence } = condition;
  output.line(`${output.tone('good', 'confirmed')}  ${visible(statement)}`);
  if (place) output.line(`    at         ${place.file}:${place.line}  ${visible(place.text)}`);
  for (const fact of evidence) output.line(`    proof      ${visible(fact)}`);
}

function show({ types, samples, captures }: CauseFacts): string {
  const values = samples.map((sample) => JSON.stringify(sample)).join(', ');
  return captures === 0 ? 'not executed' : `${types.join(' or ')} (${values})`;
}

const yes = (value: boolean): string => (value ? 'yes' : 'no');
