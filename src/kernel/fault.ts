import {
  type FaultCode,
  type FaultDefinition,
  faultDefinition,
  faults,
  formerCodes,
} from './faults.ts';
import type { JsonObject } from './json/json.ts';

type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never;

type Definition<Code extends FaultCode> = (typeof faults)[Code];

export type FaultValues<Code extends FaultCode> = Record<
  Placeholders<Definition<Code>['message']> | Placeholders<Definition<Code>['remedy']>,
  string | number
>;

/** What a fault looks like to a script or an agent. */
export type FaultReport = JsonObject & {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
  readonly retryable: boolean;
  /** What a program needs besides: rules, hashes, what is missing. */
  readonly details?: JsonObject;
};

/** The one error type that leaves Surety: it names itself and says what to do. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly remedy: string;
  /** With the code, enough to make the same fault again on the other side of a thread or socket. */
  readonly values: Record<string, string | number>;
  readonly details?: JsonObject;

  constructor(code: FaultCode, values: Record<string, string | number>, cause?: unknown) {
    super(fill(faults[code].message, values), cause === undefined ? undefined : { cause });
    this.code = code;
    this.remedy = fill(faults[code].remedy, values);
    this.values = values;
  }

  get definition(): FaultDefinition {
    return faultDefinition(this.code);
  }

  get retryable(): boolean {
    return this.definition.retryable;
  }

  report(): FaultReport {
    const { code, message, remedy, retryable, details } = this;
    return { code, message, remedy, retryable, ...(details ? { details } : {}) };
  }

  /** The same fault with what a program needs to act on it. */
  with(details: JsonObject): this {
    return Object.assign(this, { details });
  }
}

export function fault<Code extends FaultCode>(
  code: Code,
  values: FaultValues<Code>,
  cause?: unknown,
): Fault {
  return new Fault(code, values, cause);
}

export function isFault(error: unknown, code?: FaultCode): error is Fault {
  return error instanceof Fault && (code === undefined || error.code === code);
}

/** A fault that another process reported, possibly a newer one with codes we don't know. */
export function faultFromReport(report: FaultReport): Fault {
  const code = formerCodes[report.code] ?? report.code;
  const known = Object.hasOwn(faults, code);
  const received = new Fault(known ? (code as FaultCode) : 'INTERNAL', {});
  received.message = report.message;
  Object.assign(received, { remedy: report.remedy });
  if (report.details) received.with(report.details);
  return received;
}

/** Whatever was thrown, as a fault: what we did not foresee is our own bug and says so. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return fault('INTERNAL', { detail }, error);
}

function fill(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    String(values[name] ?? placeholder),
  );
}
