import type { Instant, Json } from '../../kernel/index.ts';
import type { TakenRequest } from '../../lanes/index.ts';

/** A request to the baseline as it came, until it is redacted. */
export interface RawRequest extends TakenRequest {
  readonly at: Instant;
  readonly client: string;
}

/** The same as it is kept: nothing in it lets anybody in anywhere. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Headers that it proved itself with; what was in them is not kept. */
  readonly credentials: readonly string[];
  /** Fields that held a secret for which there is no stand-in: it can't be sent again. */
  readonly withheld: readonly string[];
  readonly body: string | null;
  readonly status: number;
  /** Only what later requests of the scenario took from it. */
  readonly answer: Json;
}

/** What one client asked, in its order. */
export interface RecordedScenario {
  readonly id: string;
  readonly at: Instant;
  readonly requests: readonly RecordedRequest[];
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
