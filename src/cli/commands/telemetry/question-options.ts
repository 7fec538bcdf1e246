import { telemetryLimits } from '../../../telemetry/limits.ts';
import type { Invocation } from '../../command.ts';
import { wholeNumber } from '../../options/whole-number.ts';

const flags = {
  service: 'service',
  lane: 'lane',
  route: 'route',
  trace: 'trace',
  request: 'request',
  deployment: 'deployment',
  severity: 'severity',
  matching: 'grep',
  metric: 'metric',
  since: 'since',
  until: 'until',
} as const;

type NamedQuestion = { [name in keyof typeof flags]?: string };

/** The parameters of a question from the flags of a command; the daemon checks them. */
export function askedOptions(options: Invocation['options']): NamedQuestion & { rowsMax: number } {
  const given = Object.entries(flags).flatMap(([name, flag]) => {
    const value = options[flag];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const asked = wholeNumber('--limit', options.limit, telemetryLimits.telemetryQuestionRows, 1);
  const rowsMax = Math.min(asked, telemetryLimits.telemetryQuestionRowsMax);
  return { ...Object.fromEntries(given), rowsMax };
}
