import { z } from 'zod';
import { portNumber } from './service-schema.ts';

const level = z.enum(['strict', 'standard', 'off']);

export const confineSchema = z.union([
  level,
  z.strictObject({
    level: level.default('standard').describe('The level.'),
    read: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Further files and folders that confined programs may read, relative to this file.',
      ),
    environment: z
      .array(z.string().regex(/^[A-Za-z_]\w*$/, 'use the name of a variable'))
      .default([])
      .describe("Further variables of the daemon's environment that confined programs get."),
    connect: z
      .array(portNumber)
      .default([])
      .describe('Further TCP ports that confined programs may connect to at the level `strict`.'),
  }),
]);

/** `confine` of surety.yaml, in its long form. */
export type ConfineConfig = Exclude<z.output<typeof confineSchema>, string>;

export function confineConfig(written: z.output<typeof confineSchema>): ConfineConfig {
  return typeof written === 'string'
    ? { level: written, read: [], environment: [], connect: [] }
    : written;
}
