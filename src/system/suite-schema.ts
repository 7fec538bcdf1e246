import { z } from 'zod';
import { serviceName } from './service-schema.ts';

const kinds = ['code', 'configuration', 'limits', 'ingress', 'migrations'] as const;

/** Which changes are meant: all that is named has to hold, each by any of what it names. */
export const changesMeant = z.strictObject({
  paths: z.array(z.string()).min(1).optional().describe('Files and folders that it touches.'),
  services: z.array(serviceName).min(1).optional().describe('Services that it touches.'),
  kinds: z.array(z.enum(kinds)).min(1).optional().describe('What it is a change of.'),
});

export const suite = z.strictObject({
  command: z.string().min(1, 'say how to run it').describe('How to run it, as in a shell.'),
  directory: z.string().default('.').describe('Where it is run, relative to this file.'),
  environment: z
    .record(z.string(), z.string())
    .default({})
    .describe('Variables that it gets besides BASE_URL, HEADERS and those of docs/suites.md.'),
  report: z
    .enum(['json', 'tap', 'junit', 'exit'])
    .optional()
    .describe(
      'How it says what it saw: `json` lines (if left out), `tap`, `junit` files in the folder ' +
        'SURETY_REPORTS, or by its `exit` code alone.',
    ),
  stores: z
    .array(serviceName)
    .optional()
    .describe("Datastores that it looks into: the lane's own, or the live one, read-only."),
  measured: z
    .boolean()
    .optional()
    .describe('Whether what it sends is also sent again to measure; true if left out.'),
  when: changesMeant
    .extend({
      profiles: z
        .array(z.enum(['quick', 'full']))
        .min(1)
        .optional()
        .describe('In which profiles of a verification it is run.'),
    })
    .optional()
    .describe('Changes that it is run for; all if left out. If none is meant, all suites run.'),
});

export type SuiteConfig = z.output<typeof suite>;
