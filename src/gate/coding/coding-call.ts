import type { JsonObject } from '../../kernel/index.ts';

/** One kind of effect of a call, with everything that it applies to. */
export interface CodingEffect {
  /** Such as `file.write`. */
  readonly kind: string;
  /** Paths, hosts, packages, branches or operations. */
  readonly on: readonly string[];
  /** Such as `force`. */
  readonly flags: readonly string[];
}

/** A command, edit or fetch of a coding agent, as `surety hook` describes it. */
export interface CodingCall {
  readonly project: string;
  readonly effects: readonly CodingEffect[];
  /** Programs that are not known. */
  readonly unknown: readonly string[];
  /** Why the effects are not all known. */
  readonly unresolved: readonly string[];
}

/** Reads the arguments of a call. Parts of another shape count as an effect that is not known. */
export function readCodingCall(given: JsonObject): CodingCall {
  const effects = Array.isArray(given.effects) ? given.effects : [{}];
  return {
    project: typeof given.project === 'string' ? given.project : '',
    effects: effects.map(readEffect),
    unknown: texts(given.unknown),
    unresolved: texts(given.unresolved),
  };
}

function readEffect(given: unknown): CodingEffect {
  const { kind, on, flags } = (given ?? {}) as JsonObject;
  return { kind: typeof kind === 'string' ? kind : '', on: texts(on), flags: texts(flags) };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
