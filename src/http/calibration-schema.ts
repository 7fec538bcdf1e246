import { z } from 'zod';

const counts = {
  verdicts: z.int().describe('On identical code.'),
  falseAlarms: z.int().describe('Those that would have failed a change that changes nothing.'),
  undecided: z.int().describe('Those that would not have been sure.'),
  services: z.array(z.string()),
};

const details = {
  alarms: z.array(z.string()).describe('What raised the false alarms.'),
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
