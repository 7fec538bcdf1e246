export const gateLimits = {
  /** One policy document. */
  policyBytesMax: 1024 * 1024,
  /** Documents of one policy, including those that it includes. */
  policyFilesMax: 64,
  /** Errors of one policy that are listed. The rest are only counted. */
  policyMistakesMax: 200,
  /** One expression of a policy. */
  expressionCharsMax: 4_096,
  /** Nesting depth of one expression. */
  expressionDepthMax: 64,
  /** Steps of one evaluation of an expression, chosen so that every evaluation ends within 1 ms. */
  expressionStepsMax: 5_000,
  /** Instructions that a regular expression in a policy compiles to. */
  expressionPatternInstructionsMax: 200,
  /** Entries of one list in the section `coding` of a policy. */
  codingValuesMax: 200,
  /** Errors listed for the arguments of one call. */
  schemaMistakesMax: 20,
  /** Values in arguments up to which all errors are reported. Beyond it, only the first is. */
  schemaNodesMax: 10_000,
  /** A text that a policy adds to the answers for an agent that drifts. */
  driftConstraintCharsMax: 500,
  /** One charge, one budget limit, and any sum of them. */
  amountMax: Number.MAX_SAFE_INTEGER,
  /** Ancestors of one task. */
  taskDepthMax: 64,
  /** Open child tasks of one task. */
  taskChildrenMax: 1_000,
  /** Children of one join. */
  joinChildrenMax: 1_000,
  /** Joins that one child counts for, also settled ones. */
  joinsPerChildMax: 20,
  /** The latest deadline of a join. */
  joinMsMax: 366 * 24 * 60 * 60 * 1_000,
  /** Kinds of evidence that one join demands. */
  joinEvidenceMax: 20,
  /** The shortest lease of a task: its agent must do something within it. */
  taskLeaseMsMin: 1_000,
  /** The longest lease of a task. */
  taskLeaseMsMax: 24 * 60 * 60 * 1_000,
  /** Holders of one semaphore. */
  lockSlotsMax: 1_000,
  /** Locks that one owner holds and waits for. */
  locksPerOwnerMax: 200,
  /** Owners that wait for one lock. */
  lockWaitersMax: 2_000,
  /** How long somebody stays in the queue of a lock. */
  lockQueueMsMax: 60 * 60 * 1_000,
  /** How long a lock that came to somebody in its queue waits to be claimed. */
  lockClaimMs: 30_000,
  /** The highest priority in the queue of a lock. */
  lockPriorityMax: 9,
  /** How much waiting one step of priority is worth. */
  lockAgeingMs: 10_000,
  /** Open tasks that one cancellation ends. */
  taskTreeMax: 10_000,
  /** Steps in the recovery of one call, and repeats of one step. */
  recoveryStepsMax: 10,
  /** How long recovery keeps reading before it asks a person, unless a contract says otherwise. */
  recoveryMs: 10 * 60 * 1_000,
  /** The first wait before a failed read of a recovery is repeated; each further wait doubles. */
  recoveryWaitMsMin: 500,
  /** The longest wait before a failed read of a recovery is repeated. */
  recoveryWaitMsMax: 30 * 1_000,
  /** The shortest time between two looks at a call in doubt because somebody uses its tool. */
  recoveryUseMsMin: 2_000,
  /** Recoveries that one process makes at the same time. */
  recoveriesMax: 16,
  /** How often the same proposal is answered, unless a policy sets another number. */
  sameProposalsMax: 3,
  /** How often an agent may get the same failure, unless a policy sets another number. */
  sameErrorsMax: 5,
  /** How often an agent may repeat the same cycle of calls, unless a policy sets another number. */
  cyclesMax: 3,
  /** The longest cycle of calls that is noticed. */
  cycleLengthMax: 8,
  /** Earlier calls of an agent among which loops are found; no policy may need more. */
  loopCallsMax: 256,
  /** How long a call of an agent counts as a part of a loop. */
  loopMs: 60 * 60 * 1_000,
  /** Earlier steps of an agent that trajectory rules see. */
  trajectoryStepsMax: 24,
  /** Attempts to repair a change before a person has to look at it. */
  repairsMax: 3,
  /** Default lifetime of a grant for an executor outside of the process. */
  grantMs: 60 * 1_000,
  /** How long reads for a grant count as fresh; when it is redeemed later, they are repeated. */
  readsFreshMs: 1_000,
  /** A name that a caller puts into a grant: its audience, its task. */
  grantTextCharsMax: 200,
  /** Arguments of a denied call that the ledger keeps. Of larger ones it keeps the small values. */
  deniedArgumentsBytesMax: 16 * 1024,
  /** Arguments of a denied call that count as one request. */
  deniedRequestBytes: 1024,
  /** Refused attempts of one kind by one actor that the ledger records in a minute. */
  refusedAttemptsPerMinuteMax: 60,
  /** One outcome that is kept until the ledger has it. A larger one is in the ledger first. */
  keptOutcomeBytesMax: 64 * 1024,
  /** All outcomes that are kept until the ledger has them. Further ones are in the ledger first. */
  outcomeLogBytesMax: 1024 * 1024,
  /** Steps of a plan that one request checks. */
  planStepsMax: 100,
  /** Valid grant keys: the current one and its predecessors. */
  grantKeysMax: 32,
} as const;
