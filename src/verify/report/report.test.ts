import { describe, expect, test } from 'vitest';
import { differenceClasses } from '../compare/index.ts';
import { htmlReport, junitReport, markdownReport, sarifReport } from './index.ts';
import { checkThatSays, found, verified, wire } from './verified.fixture.ts';

/** Texts in a log line, a field or a patch that try to be markup. */
const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '`code` ``` ```` [link](https://evil.test) ![x](https://evil.test/x.png) @everyone',
  '</pre></details></style><style>*{display:none}</style>',
  ']]> --> &amp; &#60;b&#62; \u0000\u0007\u001b[31m \ud800 \uffff',
  'line one\n\n# heading\n| a | b |\r\n```\nout of the fence',
];
const text = hostile.join(' ');
const deceiving = verified({
  findings: [checkThatSays(text), ...hostile.map(checkThatSays)],
  notices: [text],
  reason: text,
  services: [text],
  calls: [{ from: text, to: text, count: 1, failed: 1 }],
});

/** The text outside of code spans and fences, as CommonMark reads them. */
function outsideCode(markdown: string): string {
  const fenced = markdown.replace(/^(`{3,})[a-z]*\n[\s\S]*?\n\1$/gm, '');
  return fenced.replace(/(?<!`)(`+)(?!`)(?:(?!\1(?!`))[\s\S]|(?<=`)`)*?(?<!`)\1(?!`)/g, '');
}

describe('the Markdown report', () => {
  test('has findings, signals and commands to reproduce them', () => {
    const report = markdownReport(verified());
    for (const part of [
      '❌ Surety: fail',
      '`type changed by pricing`',
      '+31.0 % [+22.0 %, +40.0 %]',
      wire.reproduction,
      '+    amount: format',
    ]) {
      expect(report).toContain(part);
    }
    const passed = verified({ verdict: 'pass', findings: [], notices: [], signals: [] });
    expect(markdownReport(passed)).not.toMatch(/<details>|###/);
  });

  test('has foreign texts only inside code', () => {
    const outside = outsideCode(markdownReport(deceiving));
    expect(outside).not.toMatch(/script|img|evil|everyone|heading|onerror|style/);
  });

  test('has the first ten findings, and the number of others', () => {
    const findings = Array<typeof wire>(14).fill(wire);
    expect(markdownReport(verified({ findings, findingsOmitted: 3 }))).toContain(
      'and 7 more findings',
    );
  });
});

describe('the HTML report', () => {
  test('has plots, a call graph and findings, and loads nothing', () => {
    const page = htmlReport(verified());
    for (const part of [
      'class="worse"',
      'class="changed"',
      'pricing · CPU µs per request',
      '0 → 3, worse',
      'type changed by pricing',
    ]) {
      expect(page).toContain(part);
    }
    expect(page).toContain('default-src &#39;none&#39;');
    expect(page).not.toMatch(/<script|src=|href=|url\(|@import/);
  });

  test('escapes foreign texts', () => {
    const page = htmlReport(deceiving);
    const tags = new Set([...page.matchAll(/<\/?([a-z!][a-z0-9]*)/g)].map(([, name]) => name));
    for (const tag of ['script', 'img', 'b']) expect(tags).not.toContain(tag);
    expect(page.match(/<style>/g)).toHaveLength(1);
    expect(page).not.toMatch(/\son\w+=[^&]*alert\(1\)>/);
  });
});

describe('the JUnit report', () => {
  test('has a failed case for each finding, and a passed case for each class without one', () => {
    const report = junitReport(verified());
    expect(report).toContain('tests="11" failures="1" errors="0"');
    expect(report).toContain('classname="surety.contract" name="type changed by pricing');
    expect(report).toContain('<testcase classname="surety.security" name="no finding"/>');
  });

  test.each(differenceClasses)('has the finding class %s, as the SARIF report does', (kind) => {
    const findings = [found(kind)];
    expect(junitReport(verified({ findings })).match(/<failure /g)).toHaveLength(1);
    const [run] = JSON.parse(sarifReport(verified({ findings }), '1')).runs;
    const rules = run.tool.driver.rules.map(({ id }: { id: string }) => id);
    expect(rules).toContain(run.results[0].ruleId);
  });

  test('has an inconclusive verdict as an error, not a failure', () => {
    const report = junitReport(
      verified({ verdict: 'inconclusive', findings: [], reason: 'no suite was run' }),
    );
    expect(report).toContain('failures="0" errors="1"');
    expect(report).toContain('<error message="no suite was run"/>');
  });

  test('escapes foreign texts, also what XML can not hold', () => {
    const report = junitReport(deceiving);
    expect(report).not.toMatch(/<(?:script|img|style|b)\b/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML can't hold.
    expect(report).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800\uffff]/);
  });
});

test.each([
  ['HTML', htmlReport, '30', '&quot;30&quot;'],
  ['Markdown', markdownReport, '`30`', '`"30"`'],
  ['JUnit', junitReport, 'expected: 30', 'got: &quot;30&quot;'],
])('a text that looks like a number is told from a number in %s', (_, format, number, text) => {
  const check = { ...checkThatSays(''), expected: 30, actual: '30' };
  const report = format(verified({ findings: [check] }));
  expect(report).toContain(number);
  expect(report).toContain(text);
});

test.each([
  ['HTML', htmlReport, /<article/g],
  ['Markdown', markdownReport, /^### /gm],
])('consequences are shown below their cause in %s', (_, format, card) => {
  const follows = { ...checkThatSays('a trade is flagged'), id: 'fnd_2', causedBy: wire.id };
  const report = format(verified({ findings: [wire, follows] }));
  expect(report.match(card)).toHaveLength(1);
  expect(report).toContain('a trade is flagged');
  // A verdict that was cut may have lost the cause.
  expect(format(verified({ findings: [follows] })).match(card)).toHaveLength(1);
});

test.each([
  ['HTML', htmlReport],
  ['Markdown', markdownReport],
])('%s says when a verdict was reached, for whom, and on which branch', (_, format) => {
  const origin = { at: Date.UTC(2026, 10, 16, 9, 30), by: 'agent:coder', ref: 'feature/fees' };
  expect(format({ ...verified(), ...origin })).toContain(
    '2026-11-16 09:30 UTC, by agent:coder, branch feature/fees',
  );
});

describe('the SARIF report', () => {
  test('has each finding at its likely lines, with a declared rule', () => {
    const log = JSON.parse(sarifReport(verified(), '1.2.3'));
    const [run] = log.runs;
    expect(log.version).toBe('2.1.0');
    expect(run.tool.driver).toMatchObject({ name: 'Surety', version: '1.2.3' });
    const rules = new Set(run.tool.driver.rules.map(({ id }: { id: string }) => id));
    expect(run.results.map(({ ruleId, level }: Record<string, string>) => [ruleId, level])).toEqual(
      [
        ['surety/contract', 'error'],
        ['surety/notice', 'note'],
      ],
    );
    for (const { ruleId } of run.results) expect(rules).toContain(ruleId);
    expect(run.results[0].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'services/pricing/quote.ts', uriBaseId: '%SRCROOT%' },
      region: { startLine: 41 },
    });
    expect(run.invocations).toEqual([{ executionSuccessful: true }]);
  });

  test('has a valid location for any file name', () => {
    const [run] = JSON.parse(sarifReport(deceiving, '1')).runs;
    const uri = run.results[0].locations[0].physicalLocation.artifactLocation.uri;
    expect(uri).toMatch(/^[\w%.~!*'()/-]+$/);
  });

  test('escapes links in texts', () => {
    const reason = 'see [here](https://evil.test) \\[or there](https://evil.test)';
    const linked = verified({ reason, verdict: 'inconclusive', notices: [reason] });
    const [run] = JSON.parse(
      sarifReport({ ...linked, findings: [checkThatSays(reason)] }, '1'),
    ).runs;
    const [notification] = run.invocations[0].toolExecutionNotifications;
    const escaped = 'see \\[here\\](https://evil.test) \\\\\\[or there\\](https://evil.test)';
    expect(notification.message.text).toBe(escaped);
    for (const { message } of run.results) expect(message.text).toContain(escaped);
  });

  test('has a location for a finding without lines, and the reason of an inconclusive verdict', () => {
    const unclear = verified({
      verdict: 'inconclusive',
      reason: 'why',
      findings: [{ ...wire, lines: [] }],
    });
    const [run] = JSON.parse(sarifReport(unclear, '1')).runs;
    expect(run.results[0].locations[0].physicalLocation.region).toEqual({ startLine: 1 });
    expect(run.invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [{ message: { text: 'why' } }],
    });
  });
});
