import type { JsonObject } from '../../kernel/index.ts';
import type { Finding, VerifiedChange } from '../api-schema.ts';
import type { DifferenceClass } from '../compare/index.ts';
import { calibrationProperties } from './told-calibration.ts';
import { tellFinding } from './told-finding.ts';

const meanings: Readonly<Record<DifferenceClass | 'check' | 'notice', string>> = {
  start: 'A changed service can not be started, or does not live.',
  check: 'A check of a suite failed on the change and held on the running version.',
  contract: 'Services say something else to each other than before.',
  calls: 'Calls are repeated, retried, left out or new.',
  writes: 'Other rows are written than before.',
  status: 'Answers fail that did not before.',
  error: 'An error is logged of a kind that was not there before.',
  security: 'Something is open, told or unprotected that was not before.',
  signal: 'A measured quantity is worse than before.',
  load: 'It does not bear the load that it bore before.',
  notice: 'Fails nothing, but is worth knowing.',
};

/** SARIF 2.1.0, as code scanning reads it: each finding at the lines that most likely did it. */
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
  const { class: kind, title, where, before, after } = tellFinding(finding);
  const { id, lines, reproduction } = finding;
  const places = lines.length > 0 ? lines : [{ file: 'surety.yaml', line: 1 }];
  return {
    ruleId: `surety/${kind}`,
    level: 'error',
    message: messageOf(`${title}: ${where}: ${before} → ${after}. Again: ${reproduction}`),
    locations: places.map(({ file, line }) => location(file, line)),
    partialFingerprints: { 'suretyFinding/v1': id },
  };
}

/** In a message of SARIF brackets make a link, wherever it may lead. */
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
