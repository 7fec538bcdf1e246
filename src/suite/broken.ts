/** The suite could not look: that says nothing about the system, good or bad. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

export function required(environment: Environment, name: string, remedy: string): string {
  const value = environment[name];
  if (value) return value;
  throw new Broken(`${name} is not set. ${remedy}`);
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** With what caused it, which is where the network says what is wrong. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message;
}
