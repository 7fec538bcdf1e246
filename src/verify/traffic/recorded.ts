import type { Instant } from '../../kernel/index.ts';
import type { TakenRequest } from '../../lanes/index.ts';

/** A request to the baseline as it came, until it is redacted. */
export interface RawRequest extends TakenRequest {
  readonly at: Instant;
  readonly client: string;
}

/** As surety.yaml has it under `traffic.record`. */
export interface RecordingRules {
  readonly perMille: number;
  readonly perRoute: number;
  readonly headers: readonly string[];
  /** By the name of a field: what stands in for its value. */
  readonly replace: Readonly<Record<string, string | number | boolean>>;
  readonly keepDays: number;
}
