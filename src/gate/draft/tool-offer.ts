import type { JsonObject } from '../../kernel/index.ts';

/** A tool as its provider describes it. Nobody has checked the description. */
export interface ToolOffer {
  /** The name that policies use. */
  readonly tool: string;
  /** Who offers it, such as a server behind the gateway. */
  readonly provider: string;
  /** JSON Schema of the arguments, in any draft. */
  readonly schema: JsonObject;
  readonly hints: EffectHints;
}

/** Absent: the provider does not say. */
export interface EffectHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
}
