import { badRequest, type HttpError } from './http-error.ts';
import type { JsonObject } from './json-body.ts';

/** Readers of one field of a request body; each says in its error what it would have accepted. */

const TEXT_LENGTH_MAX = 200;
const CENTS_MAX = 1e13;
// Postgres cannot store a NUL in text, and other control characters have no business in a name.
const CONTROL_CHARACTER = /\p{Cc}/u;

export function textField(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value.trim() === '' || value.length > TEXT_LENGTH_MAX) {
    throw invalid(name, `a text of 1 to ${TEXT_LENGTH_MAX} characters`);
  }
  if (CONTROL_CHARACTER.test(value) || !value.isWellFormed()) {
    throw invalid(name, 'a text without control characters');
  }
  return value;
}

export function oneOfField<T extends string>(
  body: JsonObject,
  name: string,
  allowed: readonly T[],
): T {
  const found = allowed.find((candidate) => candidate === body[name]);
  if (found === undefined) throw invalid(name, `one of: ${allowed.join(', ')}`);
  return found;
}

export function countField(body: JsonObject, name: string, max: number): number {
  const value = body[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max) {
    throw invalid(name, `a whole number from 1 to ${max}`);
  }
  return value;
}

/** An amount of money such as 29.99, as whole cents. */
export function centsField(body: JsonObject, name: string): number {
  const value = body[name];
  const cents = typeof value === 'number' ? Math.round(value * 100) : Number.NaN;
  if (!(cents > 0 && cents <= CENTS_MAX) || Math.abs(cents - (value as number) * 100) > 1e-3) {
    throw invalid(name, 'an amount greater than 0 with at most two decimals');
  }
  return cents;
}

export function invalid(name: string, wanted: string): HttpError {
  return badRequest('invalid_field', `"${name}" must be ${wanted}.`);
}
