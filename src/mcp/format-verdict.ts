import type { OperationResponse } from '../http/index.ts';
import { mcpLimits } from './limits.ts';
import { shortText, shortValue } from './short.ts';
import type { ToolAnswer } from './tool-answer.ts';

type Verdict = OperationResponse<'POST /v1/tasks/{task}/verify'>;
type Runs = OperationResponse<'POST /v1/suites/run'>;
type Finding = Verdict['findings'][number];

const linesMax = 20;

/** The whole verdict, with a limited number of findings and limited values. */
export function formatVerdict(verdict: Verdict): ToolAnswer {
  const findings = verdict.findings.slice(0, mcpLimits.mcpFindingsMax).map(cut);
  const findingsOmitted = verdict.findings.length - findings.length + verdict.findingsOmitted;
  const omitted = findingsOmitted > 0 ? [`… and ${findingsOmitted} more findings.`] : [];
  const head = `Verdict: ${verdict.verdict}. ${verdict.reason}.`;
  const described = findings.flatMap((finding) => [describe(finding), ...whereToLook(finding)]);
  const lines = [
    head,
    ...described,
    ...omitted,
    ...describeUnexecuted(verdict),
    nextStepOf(verdict),
  ];
  const whole = `All of it: get_verdict {"verdict": "${verdict.id}"}.`;
  return { value: { ...verdict, findings, findingsOmitted }, text: lines.join('\n'), whole };
}

/** Changed code that no request ran. Verdicts of earlier versions do not know. */
function describeUnexecuted({ coverage }: Verdict): string[] {
  const all = coverage?.unexecuted ?? [];
  const lines = all.slice(0, mcpLimits.mcpFindingsMax).map((code) => {
    const { file, line, text, change, route, condition, request } = code;
    const hints = [
      route === null ? [] : `handler of ${route}`,
      condition === null ? [] : `needs ${condition}`,
      request === null ? [] : `start from ${request}`,
    ].flat();
    const hint = hints.length > 0 ? ` (${hints.join('; ')})` : '';
    const what = change === 'added' ? 'not run' : 'removed and not run';
    return `- ${what}: ${file}:${line}: ${cutLine(text)}${hint}`;
  });
  const left = all.length - lines.length + (coverage?.unexecutedOmitted ?? 0);
  return left > 0 ? [...lines, `… and ${left} more places that did not run.`] : lines;
}

function nextStepOf({ verdict, coverage, findings }: Verdict): string {
  const isUnexecuted = (coverage?.unexecuted.length ?? 0) > 0 && findings.length === 0;
  return verdict === 'inconclusive' && isUnexecuted ? runTheCode : nextStep[verdict];
}

const runTheCode =
  'Next: let a request run this code, by a test or a suite, or leave the code out. Then propose_change.';

const nextStep: Readonly<Record<Verdict['verdict'], string>> = {
  pass: 'Next: promote_change.',
  fail: 'Next: repair what the findings name, then propose_change.',
  inconclusive: 'Next: see the reason; nothing was learnt about the change. Then propose_change.',
};

function cut(finding: Finding): Finding {
  if (finding.kind === 'wire') {
    const { sampleBefore, sampleAfter } = finding;
    const samples = {
      sampleBefore: shortValue(sampleBefore),
      sampleAfter: shortValue(sampleAfter),
    };
    return { ...finding, ...samples };
  }
  if (finding.kind === 'difference') {
    const { before, after } = finding.examples;
    return { ...finding, examples: { before: shortValue(before), after: shortValue(after) } };
  }
  const { expected, actual, path, logs } = finding;
  const values = { expected: shortValue(expected), actual: shortValue(actual) };
  const lines = { path: path.slice(0, linesMax), logs: logs.slice(0, linesMax).map(cutLine) };
  return { ...finding, ...values, ...lines };
}

function cutLine(line: string): string {
  return line.length <= mcpLimits.mcpValueCharsMax
    ? line
    : `${line.slice(0, mcpLimits.mcpValueCharsMax)}…`;
}

function describe(finding: Finding): string {
  if (finding.kind === 'wire') {
    const { hop, part, field, before, after, sampleBefore, sampleAfter } = finding;
    const samples = `${shortText(sampleBefore)} became ${shortText(sampleAfter)}`;
    return `- wire: ${hop}, ${part} field ${field}: ${before} → ${after} (${samples})`;
  }
  if (finding.kind === 'difference') {
    const { class: kind, what, service, hop, place, before, after } = finding;
    const where = [hop, place].filter((one) => one !== null).join(', ');
    return `- ${kind}: ${what} by ${service}: ${where || service}: ${before} → ${after}`;
  }
  const { suite, check, expected, actual } = finding;
  return `- check: ${suite}: ${check}: expected ${shortText(expected)}, got ${shortText(actual)}`;
}

/** The changed line that is the most likely cause. Verdicts of earlier versions have none. */
function whereToLook({ lines: [likely] }: Finding): string[] {
  if (!likely) return [];
  const { file, line, text, likeliest = 0 } = likely;
  const before = text.slice(0, likeliest).filter((one) => one.startsWith('+')).length;
  return [`  likely cause ${file}:${line + before}: ${text[likeliest] ?? text.join(' ⏎ ')}`];
}

/** Every failed check, and the number of those that passed. */
export function formatRuns(value: Runs): ToolAnswer {
  const lines = value.runs.flatMap(({ suite, result, checks, reason }) => {
    const failed = checks.filter(({ passed }) => !passed).slice(0, mcpLimits.mcpFindingsMax);
    return [
      `${suite}: ${result}${reason === null ? '' : `: ${reason}`} (${checks.length} checks)`,
      ...failed.map(
        ({ check, expected, actual }) =>
          `- ${check}: expected ${shortText(expected)}, got ${shortText(actual)}`,
      ),
    ];
  });
  return { value, text: [`On version ${value.version}:`, ...lines].join('\n') };
}
