import type {
  Act,
  Actor,
  Fault,
  Identity,
  Json,
  JsonObject,
  Log,
  Proposal,
} from '../../kernel/index.ts';

/** One upstream server, as surety.yaml names it. */
export type UpstreamSpec = {
  readonly name: string;
} & (
  | {
      readonly command: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      readonly directory: string;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

/** A tool as its server describes it: the server's word, and nothing more. */
export interface ToolDefinition extends JsonObject {
  readonly name: string;
  readonly inputSchema: JsonObject;
}

/** What the policy in force says about a tool. */
export interface ToolTerms {
  readonly mode: 'enforce' | 'observe';
  /** Null: no contract declares it. */
  readonly effect: 'read' | 'idempotent' | 'mutating' | null;
  readonly timeoutMs: number;
}

/** `blocked`: its definition changed since it was accepted. */
export type PinState = 'accepted' | 'blocked';

/** What somebody at a client said about a held call. */
export interface HeldAnswer {
  readonly approval: string;
  readonly argumentsHash: string;
  readonly approver: Identity;
  /** Whose client it is. */
  readonly at: Actor;
  readonly isApproved: boolean;
  readonly reason: string;
}

/** All that the gateway wants from the rest of Surety. It knows neither gate nor ledger. */
export interface GatewayPorts {
  readonly act: Act;
  readonly log: Log;
  terms(tool: string): ToolTerms;
  /**
   * Whether a name is Surety's own or of a contract that says itself how it is run: what is decided
   * about that is said about no server's tool. A policy may change while a server is there.
   */
  isTaken(tool: string): boolean;
  /** Whether the very same was proposed before, and its outcome is what it gets. */
  isRepeat(proposal: Proposal): Promise<boolean>;
  sees(caller: Identity, tool: string): boolean;
  /** Whether anybody may be asked to approve what this caller does. */
  mayBeHeld(caller: Identity): boolean;
  approval(caller: Identity, approval: string): Promise<JsonObject>;
  /** Who may be asked at this caller's client about such a call; null: nobody there. */
  approver(caller: Identity, tool: string): Identity | null;
  answerHeld(answer: HeldAnswer): Promise<void>;
  /** What is wrong with a value, by a schema that nobody has to trust. */
  checkBy(schema: JsonObject): (value: Json) => readonly string[];
  /** First seen is recorded; by the names under which clients see them. */
  pin(
    server: string,
    tools: ReadonlyMap<string, ToolDefinition>,
  ): Promise<ReadonlyMap<string, PinState>>;
  /** Keeps what never got as far as a decision. */
  record(actor: Actor, refused: Fault, about: JsonObject): Promise<void>;
}
