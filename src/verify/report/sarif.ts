import type { JsonObject } from '../../kernel/index.ts';
import type { Finding, VerifiedChange } from '../api-schema.ts';
import type { DifferenceClass } from '../compare/index.ts';
import { calibrationProperties } from './format-calibration.ts';
import { formatFinding } from './format-finding.ts';

const meanings: Readonly<Record<DifferenceClass | 'check' | 'notice', string>> = {
  start: 'A changed service does not start, or dies.',
  check: 'A check of a suite fails on the change and passes on the baseline.',
  contract: 'What services send each other has changed.',
  calls: 'Calls are repeated, retried, missing or new.',
  writes: 'Other rows are written than on the baseline.',
  status: 'Answers fail that did not fail on the baseline.',
  error: 'A new kind of error is logged.',
  security: 'Something is newly open, exposed or unprotected.',
  signal: 'A measured signal got worse.',
  load: 'The change gets worse under load.',
  notice: 'Does not fail the change, but is worth knowing.',
};

/** SARIF 2.1.0 for code scanning: each finding at the lines that most likely cause it. */
export function sarifReport(verdict: VerifiedChange, version: string): string {
  const results = [...verdict.findings.map(resultOf), ...verdict.notices.map(noteOf)];
  const rules = Object.entries(meanings).map(([id, text]) => ({
    id: `surety/${id}`,
    shortDescription: { text },
    defaultConfiguration: { level: id === 'notice' ? 'note' : 'error' },
  }));
  const isReached = verdict.verdict !== 'inconclusive';
  const notification = { level: 'error', message: messageOf(verdict.reason) };
  const invocation = {
    executionSuccessful: isReached,
    ...(isReached ? {} : { toolExecutionNotifications: [notification] }),
  };
  const run = {
    tool: { driver: { name: 'Surety', version, rules } },
    automationDetails: { id: `surety/${verdict.change}` },
    invocations: [invocation],
    results,
    properties: {
      verdict: verdict.verdict,
      id: verdict.id,
      reason: verdict.reason,
      ...calibrationProperties(verdict.calibration),
    },
  };
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${JSON.stringify({ $schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function resultOf(finding: Finding): JsonObject {
  const { class: kind, title, where, before, after } = formatFinding(finding);
  const { id, lines, reproduction } = finding;
  const places = lines.length > 0 ? lines : [{ file: 'surety.yaml', line: 1 }];
  return {
    ruleId: `surety/${kind}`,
    level: 'error',
    message: messageOf(`${title}: ${where}: ${before} → ${after}. Reproduce: ${reproduction}`),
    locations: places.map(({ file, line }) => location(file, line)),
    partialFingerprints: { 'suretyFinding/v1': id },
  };
}

/** In a SARIF message brackets make a link, which must not come from others. */
function messageOf(text: string): { text: string } {
  return { text: text.replace(/[\\[\]]/g, '\\$&') };
}

function noteOf(text: string): JsonObject {
  const locations = [location('surety.yaml', 1)];
  return { ruleId: 'surety/notice', level: 'note', message: messageOf(text), locations };
}

function location(file: string, line: number): JsonObject {
  const uri = file.toWellFormed().split('/').map(encodeURIComponent).join('/');
  const region = { startLine: Math.max(1, line) };
  return { physicalLocation: { artifactLocation: { uri, uriBaseId: '%SRCROOT%' }, region } };
}
