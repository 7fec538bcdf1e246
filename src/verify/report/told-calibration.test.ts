import { expect, test } from 'vitest';
import { htmlReport, junitReport, markdownReport, sarifReport } from './index.ts';
import { tellCalibration } from './told-calibration.ts';
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

test('how often a verdict is wrong is told with its interval and its day', () => {
  expect(tellCalibration(calibration)).toBe(line);
  const several = { ...calibration, atOnce: 3, inconclusive: 0 };
  expect(tellCalibration(several)).toContain('3 services at once (95 %: 0.0 % to 1.4 %), 2026');
  expect(tellCalibration(null)).toContain('surety calibrate');
});

test('every form tells it to people', () => {
  expect(markdownReport(verified({ calibration }))).toContain(`False alarms: ${line}`);
  expect(htmlReport(verified({ calibration }))).toContain(`<dt>false alarms</dt><dd>${line}</dd>`);
  expect(markdownReport(verified())).toContain('not calibrated here yet');
});

test('dashboards find it among the properties', () => {
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
