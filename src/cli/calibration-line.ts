import type { OperationResponse } from '../http/index.ts';

type Calibration = NonNullable<OperationResponse<'POST /v1/verdicts'>['calibration']> | null;

/** How often measured signals fail a change that changes nothing, and how sure that is. */
export function calibrationLine(calibration: Calibration): string {
  if (calibration === null) return 'false alarms: not calibrated here yet: surety calibrate';
  const { falseAlarms, verdicts, interval, at } = calibration;
  const range = `95 %: ${percent(interval.low)} to ${percent(interval.high)}`;
  const day = new Date(at).toISOString().slice(0, 10);
  return `false alarms: ${falseAlarms} of ${verdicts} on identical code (${range}), ${day}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
