import { z } from 'zod';

export const profileSchema = z.enum(['quick', 'full']);

const counts = {
  profile: profileSchema,
  atOnce: z.int().describe('How many services at least were started anew for each verdict.'),
  verdicts: z.int().describe('Whole ones, on identical code.'),
  falseAlarms: z.int().describe('Those that failed, with nothing changed.'),
  inconclusive: z.int().describe('Those that were not sure.'),
  services: z.array(z.string()),
};

const details = {
  alarms: z.array(z.string()).describe('The findings that were false alarms.'),
  doubts: z.array(z.string()).describe('Why others were not sure.'),
  cpuRatios: z
    .array(z.number())
    .describe('CPU time, one process to another of the same code: how lucky a start can be.'),
};

export const calibrationRunSchema = z.object({ ...counts, ...details });

/** As verdicts tell it. */
export const calibrationBriefSchema = z.object({
  ...counts,
  at: z.int().describe('When the last of them was reached.'),
  interval: z
    .object({ low: z.number(), high: z.number() })
    .describe('Of the share of false alarms: 95 %.'),
});

export const calibrationSchema = z.object({ ...calibrationBriefSchema.shape, ...details });
