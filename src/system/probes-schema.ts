import { z } from 'zod';

/** `probes` of surety.yaml: what nobody may look into, and what needs consent. */
export const probesSchema = z.strictObject({
  production: z
    .union([z.boolean(), z.array(z.string().min(1))])
    .optional()
    .describe(
      'Services in which only a person with the role `operator` places probes, and only with ' +
        '`--allow-production`; `true`: all. Default: all if `environment` is `production`.',
    ),
  blocked: z
    .array(
      z.strictObject({
        file: z.string().min(1).describe('A path, the end of one, or a pattern such as `auth/**`.'),
        function: z.string().min(1).optional().describe('Only this function, and those in it.'),
      }),
    )
    .default([])
    .describe('Code in which no probe is placed.'),
});
