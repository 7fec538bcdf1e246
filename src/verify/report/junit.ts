import type { Finding, VerifiedChange } from '../api-schema.ts';
import { differenceClasses } from '../compare/index.ts';
import { calibrationProperties } from './format-calibration.ts';
import { formatFinding } from './format-finding.ts';
import { type Markup, markup } from './markup.ts';

/** Each class is a test case that passes if nothing was found. */
const classes = ['check', ...differenceClasses];

/** JUnit XML for test dashboards: one case for each class, or for each of its findings. */
export function junitReport(verdict: VerifiedChange): string {
  const { findings, verdict: result, reason } = verdict;
  const cases = classes.flatMap((one) => casesOf(one, findings));
  const isUnclear = result === 'inconclusive';
  const errors = isUnclear ? [markup`<error message="${reason}"/>`] : [];
  const whole = markup`<testcase classname="surety" name="a verdict was reached">${errors}</testcase>`;
  const count = cases.length + 1;
  const { text } = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="surety verify" tests="${count}" failures="${findings.length}" errors="${errors.length}">
<testsuite name="${verdict.id}" tests="${count}" failures="${findings.length}" errors="${errors.length}">
<properties>${propertiesOf(verdict)}</properties>
${[whole, ...cases].map((one) => markup`${one}\n`)}</testsuite>
</testsuites>
`;
  return text;
}

function propertiesOf({ change, base, calibration }: VerifiedChange): Markup[] {
  const properties = { change, base, ...calibrationProperties(calibration) };
  return Object.entries(properties).map(
    ([name, value]) => markup`<property name="${name}" value="${value}"/>`,
  );
}

function casesOf(kind: string, findings: readonly Finding[]): Markup[] {
  const own = findings.filter((finding) => formatFinding(finding).class === kind);
  if (own.length === 0) return [markup`<testcase classname="surety.${kind}" name="no finding"/>`];
  return own.map((finding) => {
    const { title, where, sides, before, after } = formatFinding(finding);
    const details = [
      `${sides[0]}: ${before}`,
      `${sides[1]}: ${after}`,
      ...finding.lines.map(({ file, line }) => `likely: ${file}:${line}`),
      ...finding.logs.map((line) => `log: ${line}`),
      `reproduce: ${finding.reproduction}`,
    ];
    return markup`<testcase classname="surety.${kind}" name="${title}: ${where}"><failure message="${title}: ${before} → ${after}" type="${finding.id}">${details.join('\n')}</failure></testcase>`;
  });
}
