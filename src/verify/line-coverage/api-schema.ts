import { z } from 'zod';
import type { Immutable } from '../../kernel/index.ts';

const unexecutedCode = z.object({
  file: z.string(),
  line: z.int().describe('In the changed version; of removed lines, in the baseline.'),
  end: z.int().describe('The last of adjacent lines.'),
  change: z.enum(['added', 'removed']),
  text: z.string().describe('The first of these lines, or the part of it that did not run.'),
  isLoaded: z.boolean().describe('False if no process loaded the file.'),
  function: z.string().nullable().describe('The function that contains it.'),
  route: z.string().nullable().describe('The route whose handler contains it: `POST /orders`.'),
  condition: z.string().nullable().describe('The nearest condition that has to hold.'),
  request: z.string().nullable().describe('A request that ran the function, to start from.'),
});

/** Changed code that no request ran. */
export type UnexecutedCode = Immutable<z.infer<typeof unexecutedCode>>;

export const changeCoverageSchema = z.object({
  status: z
    .enum(['executed', 'partial', 'none', 'no-code', 'unknown'])
    .describe(
      'Whether all, some or none of the changed lines ran. `no-code`: only comments, types or ' +
        'data changed. `unknown`: not recorded for a part of the change.',
    ),
  lines: z.int().describe('Changed lines with code that runs.'),
  ran: z.int().describe('Of these, the lines that ran completely.'),
  unexecuted: z.array(unexecutedCode),
  unexecutedOmitted: z.int().describe('How many of these were left out because they do not fit.'),
  places: z
    .array(z.string())
    .default([])
    .describe('The changed code that ran, or of which that is unknown: `services/till.ts:12-14`.'),
  unknown: z.array(z.string()).describe('Changed programs of which nobody recorded what ran.'),
  data: z.array(z.string()).describe('Changed files that are no program.'),
});

/** Which of the changed lines the requests ran. */
export type ChangeCoverage = Immutable<z.infer<typeof changeCoverageSchema>>;
