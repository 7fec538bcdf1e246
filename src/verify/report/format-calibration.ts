import type { VerifiedChange } from '../api-schema.ts';

/** How often verdicts fail although nothing changed, with the interval. */
export function formatCalibration(calibration: VerifiedChange['calibration']): string {
  if (calibration === null) return 'unknown, run surety calibrate';
  const { falseAlarms, verdicts, inconclusive, interval, at, profile, atOnce } = calibration;
  const range = `95 %: ${percent(interval.low)} to ${percent(interval.high)}`;
  const unsure = inconclusive > 0 ? `, ${inconclusive} inconclusive` : '';
  const services = `${atOnce} ${atOnce === 1 ? 'service' : 'services'} at once`;
  const counted = `${falseAlarms} of ${verdicts} ${profile} verdicts on identical code`;
  return `${counted}, ${services} (${range})${unsure}, ${dayOf(at)}`;
}

/** The same for programs. */
export function calibrationProperties(
  calibration: VerifiedChange['calibration'],
): Readonly<Record<string, string | number>> {
  if (calibration === null) return {};
  const { falseAlarms, verdicts, inconclusive, interval, at, profile, atOnce } = calibration;
  return {
    'calibration.profile': profile,
    'calibration.servicesAtOnce': atOnce,
    'calibration.verdicts': verdicts,
    'calibration.falseAlarms': falseAlarms,
    'calibration.inconclusive': inconclusive,
    'calibration.shareLow': interval.low,
    'calibration.shareHigh': interval.high,
    'calibration.day': dayOf(at),
  };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
