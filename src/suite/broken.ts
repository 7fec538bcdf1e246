/** The suite could not look: that says nothing about the system, good or bad. */
export class SuiteError extends Error {
  override readonly name = 'Broken';
}

/** It asks for something that exists only in lanes. */
export class LaneNeeded extends SuiteError {}

export function required(environment: SuiteEnvironment, name: string, remedy: string): string {
  const value = environment[name];
  if (value) return value;
  throw new SuiteError(`${name} is not set. ${remedy}`);
}

export type SuiteEnvironment = Readonly<Record<string, string | undefined>>;

/** With what caused it, which is where the network says what is wrong. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message;
}
