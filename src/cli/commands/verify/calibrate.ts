import type { OperationResponse } from '../../../http/index.ts';
import { formatCalibration } from '../../../verify/report/index.ts';
import type { RunCommand } from '../../command.ts';
import { connectDaemon } from '../../daemon-client.ts';
import { cliLimits } from '../../limits.ts';
import { wholeNumber } from '../../options/whole-number.ts';
import { readProfile } from './profile.ts';

type CalibrationRun = OperationResponse<'POST /v1/calibrations'>;

/** One call for each verdict, so that an interrupted run keeps the verdicts that it has. */
export const run: RunCommand = async ({ place, output, options }) => {
  const wanted = wholeNumber('--verdicts', options.verdicts, 40, 1);
  const atOnce = wholeNumber('--at-once', options['at-once'], 1, 1);
  const profile = readProfile(String(options.profile ?? 'quick'));
  let services: readonly string[] = options.service ? String(options.service).split(',') : [];
  const client = connectDaemon(place);
  const soFar = { falseAlarms: 0, inconclusive: 0 };
  for (let done = 0; done < wanted; done++) {
    output.progress(`${done} of ${wanted} verdicts with nothing changed: ${tellSoFar(soFar)} …`);
    const inTurn = rotated(services, done * atOnce);
    const body = {
      verdicts: 1,
      atOnce,
      profile,
      ...(services.length > 0 ? { services: inTurn } : {}),
    };
    const one = await client.call(
      'POST /v1/calibrations',
      { body },
      { answerMsMax: cliLimits.systemAnswerMsMax },
    );
    if (services.length === 0) services = one.services;
    soFar.falseAlarms += one.falseAlarms;
    soFar.inconclusive += one.inconclusive;
    output.value(one);
    for (const line of outcomeLines(one)) output.line(line);
  }
  const query = { profile, atOnce };
  const { calibration } = await client.call('GET /v1/calibrations', { query });
  output.value(calibration);
  output.line(`false alarms: ${formatCalibration(calibration)}`);
};

function rotated(services: readonly string[], by: number): string[] {
  const from = services.length === 0 ? 0 : by % services.length;
  return [...services.slice(from), ...services.slice(0, from)];
}

function tellSoFar({
  falseAlarms,
  inconclusive,
}: Pick<CalibrationRun, 'falseAlarms' | 'inconclusive'>) {
  return `${falseAlarms} false alarms, ${inconclusive} inconclusive`;
}

/** Lines for the runs that did not pass. */
function outcomeLines({ alarms, doubts }: CalibrationRun): string[] {
  return [
    ...alarms.map((alarm) => `false alarm   ${alarm}`),
    ...doubts.map((doubt) => `inconclusive  ${doubt}`),
  ];
}
