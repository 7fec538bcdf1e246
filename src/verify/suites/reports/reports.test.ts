import { describe, expect, test } from 'vitest';
import { type ReportForm, readReport, type SuiteOutput } from './index.ts';

const ended = (more: Partial<SuiteOutput>): SuiteOutput => ({
  output: '',
  errors: '',
  code: 0,
  files: [],
  ...more,
});

/** `+name` passed, `-name` failed. */
function said(form: ReportForm, more: Partial<SuiteOutput>): string[] {
  const { checks, broken } = readReport(form, ended(more));
  const told = checks.map(({ passed, check }) => `${passed ? '+' : '-'}${check}`);
  return broken === null ? told : [...told, `broken: ${broken}`];
}

const tap = (lines: readonly string[], code = 0): string[] =>
  said('tap', { output: lines.join('\n'), code });
const junit = (text: string, code = 0): string[] => said('junit', { files: [text], code });

describe('TAP', () => {
  test.each<[string, string[], number, string[]]>([
    ['a plan and its tests', ['TAP version 14', '1..2', 'ok 1 - a', 'ok 2 - b'], 0, ['+a', '+b']],
    ['a plan at the end', ['ok', 'not ok 2 b', '1..2'], 1, ['+test 1', '-b']],
    [
      'an exit code that counts failures',
      ['not ok 1', 'not ok 2', '1..2'],
      2,
      ['-test 1', '-test 2'],
    ],
    ['a todo test', ['1..1', 'not ok 1 - a # todo later'], 0, ['+a']],
    ['a skipped test', ['1..2', 'ok 1 - a # SKIP no', 'ok 2 - b'], 0, ['+b']],
    ['a hash in a name', ['1..1', 'ok 1 - issue #7 is closed'], 0, ['+issue #7 is closed']],
    [
      'subtests by their own line',
      ['    not ok 1 - in', '    1..1', 'ok 1 - a', '1..1'],
      0,
      ['+a'],
    ],
  ])('is read with %s', (_, lines, code, expected) => {
    expect(tap(lines, code)).toEqual(expected);
  });

  test.each<[string, string[], number, string]>([
    ['no plan', ['ok 1 - a'], 0, 'no plan'],
    ['fewer tests than planned', ['1..3', 'ok 1'], 0, 'planned 3 tests and reported 1'],
    ['a bail-out', ['1..1', 'ok 1', 'Bail out! no database'], 1, 'gave up: no database'],
    [
      'an exit code that contradicts it',
      ['1..1', 'ok 1'],
      3,
      'ended with 3, but every check passed',
    ],
    ['only skipped tests', ['1..0 # SKIP all'], 0, 'checked nothing'],
    ['no TAP at all', ['Segmentation fault'], 139, 'no plan'],
  ])('is broken with %s', (_, lines, code, reason) => {
    expect(tap(lines, code).at(-1)).toContain(reason);
  });

  test('has expected value and request id', () => {
    const output = [
      '1..1',
      'not ok 1 - flagged',
      '  ---',
      "  expected: 'required'",
      '  actual: none',
      '  requestId: 5e1a-0001',
      '  ...',
    ].join('\n');
    expect(readReport('tap', ended({ output, code: 1 })).checks).toEqual([
      {
        check: 'flagged',
        passed: false,
        expected: 'required',
        actual: 'none',
        requestId: '5e1a-0001',
      },
    ]);
  });
});

test('TAP of subtests names those that failed', () => {
  const output = `TAP version 13
# Subtest: holds
ok 1 - holds
  ---
  duration_ms: 1
  ...
# Subtest: group
    # Subtest: inner
    not ok 1 - inner
      ---
      expected: 200
      ...
    1..1
not ok 2 - group
  ---
  error: '1 subtest failed'
  ...
1..2`;
  expect(readReport('tap', ended({ output, code: 1 })).checks).toMatchObject([
    { check: 'holds', passed: true, expected: 'ok' },
    { check: 'group', passed: false, expected: 'ok', actual: 'inner' },
  ]);
});

describe('JUnit XML', () => {
  test('is read as pytest, Playwright and others write it', () => {
    const text = `<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="4">
      <testcase classname="test_pay" name="test_ok" time="0.1"/>
      <testcase classname="test_pay" name="test_no"><properties>
        <property name="requestId" value="req-00001"/></properties>
        <failure message="assert 402 == 200">E  assert <![CDATA[402 == 200 && <x>]]></failure></testcase>
      <testcase name="setup"><error type="OSError"/></testcase>
      <testcase name="later"><skipped/></testcase>
    </testsuite></testsuites>`;
    const { checks, broken } = readReport('junit', ended({ files: [text], code: 1 }));
    expect(broken).toBeNull();
    expect(checks).toEqual([
      expect.objectContaining({ check: 'test_pay › test_ok', passed: true }),
      {
        check: 'test_pay › test_no',
        passed: false,
        expected: 'passed',
        actual: 'assert 402 == 200\nE  assert 402 == 200 && <x>',
        requestId: 'req-00001',
      },
      expect.objectContaining({ check: 'setup', passed: false, actual: 'OSError' }),
    ]);
  });

  test.each<[string, string, string]>([
    ['a truncated report', '<testsuite><testcase name="a"/>', "can't be read: Unclosed root"],
    ['no XML', 'pytest: error', "can't be read"],
    ['other XML', '<html><body/></html>', 'no <testsuite>'],
    ['no tests', '<testsuite/>', 'checked nothing'],
    [
      'entities that expand',
      `<!DOCTYPE x [<!ENTITY a "${'z'.repeat(500)}"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>
       <testsuite><testcase name="&b;&b;&b;"/></testsuite>`,
      "can't be read: Invalid character entity",
    ],
    ['an endless attribute', `<testsuite name="${'a'.repeat(200_000)}`, "can't be read"],
    ['deeply nested suites', `${'<testsuite>'.repeat(20_000)}`, "can't be read"],
  ])('is broken with %s', (_, text, reason) => {
    expect(junit(text).at(-1)).toContain(reason);
  });

  test('is broken without a file, or with a contradicting exit code', () => {
    expect(said('junit', {})).toEqual([expect.stringContaining('no .xml file in SURETY_REPORTS')]);
    const held = '<testsuite><testcase name="a"/></testsuite>';
    expect(junit(held, 4).at(-1)).toContain('ended with 4, but every check passed');
  });

  test('has long reasons cut', () => {
    const text = `<testsuite><testcase name="a"><failure>${'x'.repeat(50_000)}</failure></testcase></testsuite>`;
    const [check] = readReport('junit', ended({ files: [text], code: 1 })).checks;
    expect(String(check?.actual).length).toBeLessThan(2_010);
  });
});

test('an exit code is a check, unless it comes from the shell or a signal', () => {
  expect(said('exit', { output: 'fine' })).toEqual(['+the command ends with 0']);
  const failed = readReport('exit', ended({ code: 99, errors: 'thresholds crossed' }));
  expect(failed.checks).toMatchObject([{ passed: false, actual: '99: thresholds crossed' }]);
  expect(said('exit', { code: 127 })).toEqual(['broken: it ended with 127']);
  expect(said('exit', { code: null })).toEqual(['broken: it ended with a signal']);
});

test('a JSON line may report that the suite gave up', () => {
  const output = '{"check":"a","passed":true}\n{"broken":"no database"}\nnot json {\n{"x":1}';
  expect(said('json', { output, code: 2 })).toEqual(['+a', 'broken: it gave up: no database']);
});

test('secrets in JSON lines are redacted', () => {
  const told = { check: 'a', passed: false, expected: { password: 'hunter2' } };
  const line = JSON.stringify({ ...told, reason: 'sent Bearer hunter2hunter2' });
  const given = JSON.stringify({ broken: 'no postgres://dev:hunter2@localhost/x' });
  const { checks, broken } = readReport('json', ended({ output: `${line}\n${given}`, code: 1 }));
  expect(checks).toMatchObject([{ expected: { password: '[redacted]' } }]);
  expect(JSON.stringify({ checks, broken })).not.toContain('hunter2');
});
