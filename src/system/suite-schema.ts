import { z } from 'zod';
import { serviceName } from './service-schema.ts';

const kinds = ['code', 'configuration', 'limits', 'ingress', 'migrations'] as const;

/** Which changes are meant: all that is named has to hold, each by any of what it names. */
export const changesMeant = z.strictObject({
  paths: z.array(z.string()).min(1).optional().describe('Files and folders that it touches.'),
  services: z.array(serviceName).min(1).optional().describe('Services that it touches.'),
  kinds: z.array(z.enum(kinds)).min(1).optional().describe('Kinds of change.'),
});

export const suite = z.strictObject({
  command: z.string().min(1, 'say how to run it').describe('The shell command that runs it.'),
  directory: z.string().default('.').describe('The working directory, relative to this file.'),
  environment: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Its environment variables, in addition to BASE_URL, HEADERS and those of docs/suites.md.',
    ),
  report: z
    .enum(['json', 'tap', 'junit', 'exit'])
    .optional()
    .describe(
      'How it reports: `json` lines (default), `tap`, `junit` files in the folder ' +
        'SURETY_REPORTS, or only its `exit` code.',
    ),
  stores: z
    .array(serviceName)
    .optional()
    .describe("Datastores that it reads: the lane's own, or the live one, read-only."),
  measured: z
    .boolean()
    .optional()
    .describe('If true (default), its requests are repeated for measuring.'),
  promoted: z
    .boolean()
    .optional()
    .describe(
      'Whether it also runs on a promoted version, without a lane. Default: true, unless it uses a ' +
        'store other than Postgres. See docs/promotion.md.',
    ),
  when: changesMeant
    .extend({
      profiles: z
        .array(z.enum(['quick', 'full']))
        .min(1)
        .optional()
        .describe('Profiles in which the suite runs.'),
    })
    .optional()
    .describe(
      'Changes that the suite runs for. Default: all. If no suite matches a change, all suites run.',
    ),
});

export type SuiteConfig = z.output<typeof suite>;
