import { z } from 'zod';
import {
  durationMs,
  durationPattern,
  isJsonObject,
  type Json,
  sharedLimits,
} from '../../kernel/index.ts';

export const toolName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_./:-]{0,127}$/, 'use 1 to 128 letters, digits and _ . / : -');

export const plainName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'use 1 to 40 lower-case letters, digits and dashes');

/** A name that an expression can use behind a dot. */
export const identifier = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,39}$/, 'use 1 to 40 letters, digits and underscores');

export const pattern = z
  .string()
  .regex(/^\S{1,200}$/, 'use 1 to 200 characters without spaces; * matches any characters');

export const expression = z
  .string('use an expression; put it into quotes')
  .min(1, 'write an expression');

export const duration = z
  .string('use a duration such as 500ms, 30s, 10m, 1h or 90d')
  .regex(durationPattern, 'use a duration such as 500ms, 30s, 10m, 1h or 90d');

/** The duration of a lock, a grant, or a wait for an answer. */
export const heldFor = duration.refine((text) => durationMs(text) <= sharedLimits.leaseMsMax, {
  message: `use at most ${sharedLimits.leaseMsMax / 3_600_000}h`,
});

export const count = z.int('use a whole number').min(1, 'use at least 1');

/** Money is in whole minor units. */
export const amount = z
  .int('use a whole number; money is in minor units, such as cents')
  .min(0, 'use 0 or more');

export const json = z.unknown().refine(isJson, 'use what JSON can hold');

export const jsonObject = z.record(z.string(), json);

function isJson(value: unknown): value is Json {
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (isJsonObject(value)) return Object.values(value).every(isJson);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}
