import { z } from 'zod';
import { limits } from '../../kernel/index.ts';
import { profileSchema } from './calibration-schema.ts';
import { verdictSchema } from './verdict-schema.ts';

/** The names are those of harnesses that call it. */
export const validationRequest = z.strictObject({
  changes: z.string().min(1).describe('A unified diff as git makes it, on what runs now.'),
  validation_suite: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .optional()
    .describe('One suite or several; all of them if left out.'),
  timeout_minutes: z
    .number()
    .positive()
    .max(limits.validationMinutesMax)
    .default(10)
    .describe('Then it answers with what is known by then.'),
  profile: profileSchema.optional().describe('`quick` if left out.'),
});

export const validation = z.object({
  tests_passed: z.boolean().describe('Every check held. False, too, when it is not known.'),
  metrics_acceptable: z
    .boolean()
    .describe('Nothing else is worse than before. False, too, when it is not known.'),
  failed_tests: z.array(
    z.object({
      suite: z.string(),
      test: z.string(),
      service: z.string().nullable(),
      expected: z.json(),
      actual: z.json(),
    }),
  ),
  degraded_metrics: z.array(
    z.object({
      service: z.string(),
      metric: z.string(),
      where: z.string(),
      before: z.string(),
      after: z.string(),
    }),
  ),
  error_logs: z.array(z.string()).describe('The last 100 lines that tell of an error.'),
  verdict: verdictSchema,
});
