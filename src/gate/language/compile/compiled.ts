import type { DriftLevel, Json, JsonObject } from '../../../kernel/index.ts';
import type { Mode } from '../../api-schema.ts';
import type { Expression } from '../../expression/index.ts';
import type { CodingSettings } from '../coding-schema.ts';

/** The effect of a tool, which determines what may follow a call with an unknown outcome. */
export type Effect = 'read' | 'idempotent' | 'mutating';

export type Autonomy = 'read-only' | 'supervised' | 'autonomous';

/** What happens to the calls of an agent that drifts, from the mildest to the strictest. */
export const driftResponses = ['approval', 'read-only', 'pause'] as const;

export type DriftResponse = (typeof driftResponses)[number];

/** What applies at one level of drift, with what the levels below it demand. */
export interface CompiledDriftLevel {
  readonly constraints: readonly string[];
  readonly response: DriftResponse | null;
  /** Who approves. */
  readonly role: string;
}

export type CompiledDrift = Readonly<Record<Exclude<DriftLevel, 'normal'>, CompiledDriftLevel>>;

/** A policy with every expression and schema compiled. All of it is synchronous. */
export interface CompiledPolicy {
  /** The hash of the canonical `document`, which identifies this version of the policy. */
  readonly hash: string;
  readonly mode: Mode;
  readonly contracts: ReadonlyMap<string, CompiledContract>;
  readonly agents: ReadonlyMap<string, CompiledAgent>;
  /** The budgets of the whole workspace. */
  readonly budgets: readonly BudgetLimit[];
  /** For contracts with `coding`. */
  readonly coding: CodingSettings;
  /**
   * The document after includes and variables. The ledger stores it, and it compiles to the same
   * policy.
   */
  readonly document: JsonObject;
}

export interface CompiledContract {
  readonly tool: string;
  readonly mode?: Mode;
  readonly description?: string;
  readonly effect: Effect;
  readonly schema: JsonObject;
  checkArguments(value: Json): SchemaMistake[];
  checkResult?(value: Json): SchemaMistake[];
  readonly run: RunnerSpec | null;
  readonly reads: readonly CompiledRead[];
  readonly preconditions: readonly CompiledRule[];
  readonly invariants: readonly CompiledRule[];
  readonly results: readonly CompiledRule[];
  readonly resources: readonly Expression[];
  readonly key: Expression | null;
  /** How long a key is kept; null for ever. */
  readonly keyForMs: number | null;
  readonly cost: readonly CompiledCost[];
  readonly actualCost: readonly CompiledCost[];
  readonly evidence: readonly CompiledEvidence[];
  readonly approval: CompiledApproval | null;
  /** Whether its argument `effects` is judged by the section `coding`. */
  readonly coding: boolean;
  readonly rates: readonly CompiledRate[];
  readonly concurrency: CompiledConcurrency | null;
  readonly timeoutMs: number;
  /** Whether the report of an outside executor may give budget back. */
  readonly trustsReports: boolean;
  readonly produces: readonly CompiledProduct[];
  readonly recovery: CompiledRecovery;
  /** Whether an expression reads `trajectory`, so that it has to be loaded. */
  readonly usesTrajectory: boolean;
}

/** The names of arguments with their expressions. */
export type CompiledArguments = readonly (readonly [string, Expression])[];

export interface CompiledRead {
  readonly name: string;
  readonly tool: string;
  readonly with: CompiledArguments;
}

export interface CompiledRule {
  readonly rule: string;
  readonly that: Expression;
  readonly soft: boolean;
  readonly message: string | null;
  readonly remedy: string | null;
}

export interface CompiledCost {
  readonly dimension: string;
  readonly amount: Expression;
}

export interface CompiledEvidence {
  readonly kind: string;
  readonly subject: Expression;
  readonly freshMs: number;
}

export interface CompiledApproval {
  /** null: always. */
  readonly when: Expression | null;
  readonly role: string;
  readonly withinMs: number;
  readonly elicited: boolean;
}

export interface CompiledRate {
  readonly max: number;
  readonly perMs: number;
  readonly by: 'agent' | 'tool' | 'task';
}

export interface CompiledConcurrency {
  /** Whether the caller must hold the lock itself. */
  readonly held: boolean;
  readonly max: number | null;
  readonly lock: Expression | null;
  readonly leaseMs: number;
}

export interface CompiledProduct {
  readonly evidence: string;
  readonly subject: Expression;
  readonly when: Expression | null;
  /** Whether the report of an executor counts where the runtime observed nothing itself. */
  readonly reported: boolean;
}

export interface CompiledRecovery {
  /** How long reads are repeated before a person is asked. */
  readonly withinMs: number;
  readonly stepsMax: number;
  readonly steps: readonly CompiledStep[];
}

export type CompiledStep =
  | {
      readonly kind: 'reconcile';
      readonly read: string;
      readonly with: CompiledArguments;
      readonly committed: Expression;
      readonly failed: Expression | null;
    }
  | { readonly kind: 'retry'; readonly times: number; readonly backoffMs: number }
  | {
      readonly kind: 'compensate' | 'fallback';
      readonly tool: string;
      readonly with: CompiledArguments;
      readonly when: Expression | null;
    }
  | { readonly kind: 'hold'; readonly reason: string };

export type RunnerSpec =
  | {
      readonly kind: 'http';
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'command'; readonly command: readonly string[] };

/** An agent with the permissions and limits of all its roles. */
export interface CompiledAgent {
  readonly name: string;
  readonly roles: readonly string[];
  allows(tool: string): boolean;
  /** Patterns; `*` matches any characters. */
  readonly tools: readonly string[];
  readonly constraints: ReadonlyMap<string, readonly CompiledRule[]>;
  /** Patterns; null: any resource. */
  readonly resources: readonly string[] | null;
  readonly budgets: readonly BudgetLimit[];
  readonly limits: AgentLimits;
  readonly autonomy: Autonomy;
  /** null: drift changes nothing. */
  readonly drift: CompiledDrift | null;
}

export interface AgentLimits {
  readonly sameProposal: number;
  readonly sameError: number;
  readonly cycle: number;
  readonly rates: readonly { readonly max: number; readonly perMs: number }[];
  readonly concurrency: number | null;
}

export interface BudgetLimit {
  readonly dimension: string;
  readonly limit: number;
  /** The length of its window; null for no window. */
  readonly perMs: number | null;
}

export interface SchemaMistake {
  /** As in `amount` or `lines.2.sku`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}
