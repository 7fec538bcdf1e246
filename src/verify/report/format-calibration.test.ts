import { expect, test } from 'vitest';
import { formatCalibration } from './format-calibration.ts';
import { htmlReport, junitReport, markdownReport, sarifReport } from './index.ts';
import { verified } from './verified.fixture.ts';

const counts = { verdicts: 400, falseAlarms: 1, inconclusive: 3, services: ['orders'] };
const calibration = {
  ...counts,
  profile: 'quick',
  atOnce: 1,
  at: Date.UTC(2026, 10, 15),
  interval: { low: 0.0001, high: 0.0139 },
} as const;
const line =
  '1 of 400 quick verdicts on identical code, 1 service at once ' +
  '(95 %: 0.0 % to 1.4 %), 3 inconclusive, 2026-11-15';

test('the calibration of a verdict has an interval and a day', () => {
  expect(formatCalibration(calibration)).toBe(line);
  const several = { ...calibration, atOnce: 3, inconclusive: 0 };
  expect(formatCalibration(several)).toContain('3 services at once (95 %: 0.0 % to 1.4 %), 2026');
  expect(formatCalibration(null)).toContain('surety calibrate');
});

test('Markdown and HTML reports contain the calibration', () => {
  expect(markdownReport(verified({ calibration }))).toContain(`False alarms: ${line}`);
  expect(htmlReport(verified({ calibration }))).toContain(`<dt>false alarms</dt><dd>${line}</dd>`);
  expect(markdownReport(verified())).toContain('unknown, run surety calibrate');
});

test('JUnit and SARIF reports contain the calibration as properties', () => {
  const junit = junitReport(verified({ calibration }));
  expect(junit).toContain('<property name="calibration.falseAlarms" value="1"/>');
  expect(junit).toContain('<property name="calibration.shareHigh" value="0.0139"/>');
  expect(junitReport(verified())).not.toContain('calibration.');
  const [run] = JSON.parse(sarifReport(verified({ calibration }), '1')).runs;
  expect(run.properties).toMatchObject({
    'calibration.verdicts': 400,
    'calibration.profile': 'quick',
    'calibration.day': '2026-11-15',
  });
});
