import { limits } from '../kernel/index.ts';
import { calibrationLine } from './calibration-line.ts';
import { exitCodes, type Run } from './command.ts';
import { connectDaemon } from './daemon-client.ts';
import { systemMsMax } from './system-table.ts';
import { wholeNumber } from './whole-number.ts';

/** So many at once that somebody who waits sees them go on. */
const batch = 5;

export const run: Run = async ({ place, output, options }) => {
  const wanted = wholeNumber('--verdicts', options.verdicts, 40, 1);
  const services = options.service ? { services: String(options.service).split(',') } : {};
  const client = connectDaemon(place);
  for (let done = 0; done < wanted; ) {
    output.progress(`${done} of ${wanted} verdicts on identical code …`);
    const verdicts = Math.min(batch, wanted - done, limits.calibrationVerdictsMax);
    const body = { verdicts, ...services };
    await client.call('POST /v1/calibrations', { body }, { answerMsMax: systemMsMax });
    done += verdicts;
  }
  const { calibration } = await client.call('GET /v1/calibrations', {});
  output.value(calibration);
  output.line(calibrationLine(calibration));
  return exitCodes.ok;
};
