import { z } from 'zod';
import { systemLimits } from './limits.ts';
import { serviceName } from './service-schema.ts';

const percent = z.number().min(50, 'use 50 to 99.999').max(99.999, 'use 50 to 99.999');

const burnRate = z.strictObject({
  minutes: z
    .int('use a whole number')
    .min(1, 'use 1 or more')
    .max(systemLimits.sloWindowMinutesMax, `use at most ${systemLimits.sloWindowMinutesMax}`)
    .describe('The window. A twelfth of it must burn as fast, so that an alert ends soon.'),
  rate: z
    .number()
    .min(1, 'use 1 or more')
    .describe('How many times faster than allowed requests fail before an alert is raised.'),
});

/** The two of the SRE workbook: 2 % of a month's budget in an hour, 5 % in six hours. */
const usualRates = [
  { minutes: 60, rate: 14.4 },
  { minutes: 360, rate: 6 },
];

export const slo = z
  .strictObject({
    service: serviceName.describe('The service that answers the requests.'),
    route: z
      .string()
      .regex(/^[A-Z]+ \/\S*$/, 'use a method and a route, such as POST /trades')
      .optional()
      .describe('Only requests of this route, as `surety query routes` names it.'),
    availability: percent
      .optional()
      .describe(
        'The percentage of requests that must be answered without an error of the service.',
      ),
    latency: z
      .strictObject({
        percent: percent.describe('The percentage of requests that must be fast.'),
        belowMs: z.number().positive('use more than 0').describe('What counts as fast.'),
      })
      .optional()
      .describe('How many requests must be answered in time.'),
    burn: z
      .array(burnRate)
      .min(1, 'name at least one window')
      .max(systemLimits.sloWindowsMax, `name at most ${systemLimits.sloWindowsMax} windows`)
      .default(usualRates)
      .describe('When an alert is raised: if failures burn the error budget this fast.'),
  })
  .refine(({ availability, latency }) => availability !== undefined || latency !== undefined, {
    message: 'say availability, latency or both',
  })
  .superRefine(({ availability, latency, burn }, context) => {
    const objectives = [availability, latency?.percent].filter((one) => one !== undefined);
    for (const [index, { rate }] of burn.entries()) {
      const objective = objectives.find((one) => (rate * (100 - one)) / 100 > 1);
      if (objective === undefined) continue;
      const message = `${objective} % allows so many failures that ${rate} times as many are more than all; use a smaller rate`;
      context.addIssue({ code: 'custom', path: ['burn', index, 'rate'], message });
    }
  });

export type SloConfig = z.output<typeof slo>;
