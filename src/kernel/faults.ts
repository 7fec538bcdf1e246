/** Whose move it is: callers asked wrongly, operators must act, surroundings broke, or we did. */
export type Blame = 'caller' | 'operator' | 'environment' | 'surety';

export interface FaultDefinition {
  readonly message: string;
  readonly remedy: string;
  readonly blame: Blame;
  /** Whether the same call may succeed later without anything being changed. */
  readonly retryable: boolean;
  /** HTTP status when the fault reaches a client of the API. */
  readonly status: number;
}

const defaults = { blame: 'caller', retryable: false } as const;

type FaultEntry = Omit<FaultDefinition, keyof typeof defaults> & Partial<FaultDefinition>;

/**
 * Every fault that can leave Surety. `docs/errors.md` is generated from this table. Placeholders in
 * braces are filled in where the fault is raised. Unless an entry says
 * otherwise, the caller must act, and the same call would fail again.
 */
export const faults = {
  JSON_INVALID: {
    message: 'The JSON cannot be stored exactly: {reason}.',
    remedy: 'Send strict JSON: unique keys, finite numbers, well-formed Unicode.',
    status: 400,
  },
  JSON_TOO_DEEP: {
    message: 'The JSON is nested more than {limit} levels deep.',
    remedy: 'Flatten it, or store the deep part as a string.',
    status: 400,
  },
  ARGUMENTS_INVALID: {
    message: 'The arguments of {tool} are not an object.',
    remedy: 'Pass an object with the arguments by name, an empty one if there are none.',
    status: 400,
  },
  BODY_TOO_LARGE: {
    message: 'The body of a {kind} entry has {bytes} bytes; the limit is {limit}.',
    remedy: 'Store documents as contents of the entry, and only facts in its body.',
    status: 413,
  },
  CONTENT_TOO_LARGE: {
    message: 'The content "{name}" has {bytes} bytes; the limit is {limit}.',
    remedy: 'Store the document elsewhere, and record its address and hash in the ledger.',
    status: 413,
  },
  REQUEST_TOO_LARGE: {
    message: 'The request body is larger than {limit} bytes.',
    remedy: 'Send less in one request.',
    status: 413,
  },
  REQUEST_INVALID: {
    message: 'Invalid request to {operation}: {reason}.',
    remedy: 'Compare it with the API description at /v1/openapi.json.',
    status: 400,
  },
  NOT_FOUND: {
    message: 'There is no {what}.',
    remedy:
      'Check the name. surety ledger tail shows recent entries; /v1/openapi.json describes the API.',
    status: 404,
  },
  UNAUTHORIZED: {
    message: 'The request has no valid token.',
    remedy:
      'Send "Authorization: Bearer <token>" with a token of this daemon. surety people shows where the tokens are.',
    status: 401,
  },
  READ_DENIED: {
    message: '{agent} may not read {what}.',
    remedy:
      'Name a service and a kind that it may read, or ask the owner to extend agents.<name>.reads in surety.yaml.',
    status: 403,
  },
  TOKEN_EXPIRED: {
    message: 'The token of {actor} expired at {time}.',
    remedy: 'Issue another one: surety token issue {actor}',
    status: 401,
  },
  TOKEN_FOR_ANOTHER_SURFACE: {
    message: 'This token works only for {surface}, and this request needs one for {wanted}.',
    remedy: 'Use another token here, or issue one: surety token issue {actor} --surface {wanted}',
    status: 403,
  },
  AGENT_TOO_FAST: {
    message: '{agent} sent more than {limit} requests in one minute.',
    remedy:
      'Wait {seconds} s and send the request again. An operator can raise the limit under api in surety.yaml.',
    retryable: true,
    status: 429,
  },
  ORIGIN_REFUSED: {
    message: 'The API refuses requests for host "{host}" from origin "{origin}".',
    remedy: 'Call the API on its loopback address, and not from a web page of another origin.',
    status: 403,
  },
  FILE_NOT_PRIVATE: {
    message: '{path} has mode {mode}, so other users of this machine can read it.',
    remedy: 'Run: chmod 600 {path}. If other people use this machine, replace the secret as well.',
    blame: 'operator',
    status: 500,
  },
  DIRECTORY_NOT_PRIVATE: {
    message: '{path} is not a private directory of yours: {reason}.',
    remedy:
      'chmod go-w on the directory if it is yours. Otherwise remove it, or set TMPDIR to a directory of your own.',
    blame: 'operator',
    status: 500,
  },
  KEY_UNREADABLE: {
    message: 'The key in {path} cannot be read: {reason}.',
    remedy:
      'Restore the key from a backup. A new key can sign new entries, but only the old key proves old checkpoints.',
    blame: 'operator',
    status: 500,
  },
  LEASE_HELD: {
    message: '{owner} holds the lease on {resource} for another {seconds} s.',
    remedy: 'Wait until the lease expires, or ask its owner to release it.',
    retryable: true,
    status: 409,
  },
  LEASE_LOST: {
    message: 'The lease on {resource} with fence {fence} has expired or has a new owner.',
    remedy: 'Stop writing with this fence. Take the lease again and reload the state.',
    status: 409,
  },
  LEASE_TTL_INVALID: {
    message: '{ttlMs} ms is not a valid lease time.',
    remedy: 'Ask for a whole number of milliseconds from 1 to {maxMs}.',
    status: 400,
  },
  LOCK_HELD: {
    message: '{lock} is held by {owner}.',
    remedy: 'Try again later. To wait in its queue, leave out --no-wait (in the API: queueMs: 0).',
    retryable: true,
    status: 409,
  },
  LOCK_WAIT_ENDED: {
    message: 'You no longer wait for {lock}, and do not hold it.',
    remedy: 'Ask for it again: surety lock acquire {lock}, or the tool acquire_lock.',
    retryable: true,
    status: 409,
  },
  LOCK_DEADLOCK: {
    message: 'Waiting for {lock} would never end: {cycle}.',
    remedy: 'Release what you hold, then take the locks in the order in which others take them.',
    status: 409,
  },
  LOCK_QUEUE_FULL: {
    message: '{limit} owners wait for {lock}, which is the limit.',
    remedy: 'Try again later.',
    retryable: true,
    status: 429,
  },
  LOCK_TOO_MANY: {
    message: '{owner} holds and waits for {limit} locks, which is the limit.',
    remedy:
      'Release those that are not needed any more: surety lock list, then surety lock release.',
    status: 429,
  },
  LOCK_SLOTS: {
    message: '{lock} has {slots} slots while somebody holds it or waits for it.',
    remedy: 'Ask for the same number (--slots {slots}), or wait until nobody uses the lock.',
    status: 409,
  },
  LOCK_LEFT: {
    message: 'The request ended while it waited for {lock}, so its place in the queue is given up.',
    remedy: 'Acquire the lock again if you still need it.',
    retryable: true,
    status: 409,
  },
  LOCK_NOT_YOURS: {
    message: 'The lease of {lock}, or the place in its queue, belongs to {owner}.',
    remedy: 'Only its owner, the agent of that task, or a person can use it. Acquire your own.',
    status: 403,
  },
  MODEL_UNKNOWN: {
    message: 'There is no model provider "{provider}". Known: {known}.',
    remedy: 'Name it under models in surety.yaml, or correct the base address of the client.',
    status: 404,
  },
  MODEL_PATH_UNKNOWN: {
    message: 'Surety does not pass on {path}, because it could not count its tokens.',
    remedy: 'Use one of: {paths}.',
    status: 404,
  },
  MODEL_KEY_MISSING: {
    message: 'The key of the model provider {provider} is not in {source}.',
    remedy: "Write the file, or set the variable in the daemon's environment and restart it.",
    status: 503,
  },
  MODEL_UNREACHABLE: {
    message: 'The model provider {provider} does not answer: {reason}.',
    remedy: 'Try again later, or check models.{provider}.url in surety.yaml.',
    retryable: true,
    status: 502,
  },
  MODEL_REFUSED: {
    message: 'The model provider {provider} answered with status {status}.',
    remedy: 'Its own answer says why.',
    status: 502,
  },
  PROPOSAL_KEY_REUSED: {
    message: 'Proposal {proposal} already used the idempotency key "{key}" with other arguments.',
    remedy: 'Use a new key for a new action. Reuse a key only to repeat the same proposal.',
    status: 422,
  },
  PROPOSAL_IN_FLIGHT: {
    message: 'Proposal {proposal} with this idempotency key is still running.',
    remedy: 'Send it again with the same key later; you will get the recorded outcome.',
    retryable: true,
    status: 409,
  },
  PROPOSAL_DENIED: {
    message: '{actor} may not use {tool}: {reason}.',
    remedy: '{remedy}',
    status: 403,
  },
  PROPOSAL_HELD: {
    message: '{actor} may use {tool} with these arguments only after a person approves it.',
    remedy:
      'Ask a person with the role {role} to run: surety approve {approval}. Then send the same proposal again.',
    retryable: true,
    status: 409,
  },
  PROPOSAL_COMPENSATED: {
    message: 'Proposal {proposal} failed, and {tool} undid it (proposal {by}).',
    remedy: 'None of its effects remain. Fix the cause, then propose it again with a new key.',
    blame: 'environment',
    status: 502,
  },
  PROPOSAL_NOT_IN_DOUBT: {
    message: 'Proposal {proposal} is {status}, so there is nothing to resolve.',
    remedy: 'List the proposals with an unknown outcome: surety proposals',
    status: 409,
  },
  RECOVERY_MOVED: {
    message: 'Another process is already recovering proposal {proposal}.',
    remedy: 'See its current state: surety explain {proposal}',
    status: 409,
  },
  RESULT_REFUSED: {
    message:
      "Proposal {proposal} took effect, but its result violates the tool's contract: {reason}.",
    remedy: 'Do not repeat it. Ask an operator to check what the tool did.',
    blame: 'environment',
    status: 502,
  },
  TOOL_FAILED: {
    message: '{tool} failed: {reason}.',
    remedy: 'The call had no effect. Fix the cause, then propose it again with a new key.',
    blame: 'environment',
    status: 502,
  },
  TOOL_IN_DOUBT: {
    message: 'It is unknown whether the call took effect: {reason}.',
    remedy: 'Read the current state of the target first. Do not simply repeat the call.',
    blame: 'environment',
    status: 502,
  },
  TOOL_RUN_HERE: {
    message: 'Surety runs {tool} itself; it issues no grant for it.',
    remedy: 'Propose it without a grant: POST /v1/proposals, or the operation of the tool.',
    status: 422,
  },
  TOOL_NOT_RUNNABLE: {
    message: 'Surety does not know how to run {tool}.',
    remedy: 'Add `run` to its contract, or run the tool yourself with a grant.',
    blame: 'operator',
    status: 501,
  },
  NAME_INVALID: {
    message: '"{name}" is not a valid {what} name.',
    remedy: 'Use only letters, digits and _ . / : -',
    status: 400,
  },
  POLICY_MOVED: {
    message: 'The policy changed repeatedly while Surety was deciding the proposal.',
    remedy: 'Propose it again.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  READS_MOVED: {
    message:
      'The values that the decision depends on changed repeatedly while Surety was deciding.',
    remedy: 'Propose it again.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  APPROVAL_OWN: {
    message: 'Approval {approval} is for your own proposal.',
    remedy: 'Ask somebody else. Nobody can approve their own proposal.',
    status: 403,
  },
  APPROVAL_ROLE: {
    message: 'Approval {approval} needs a person with the role {role}.',
    remedy: 'Ask one of them; surety people lists roles.',
    status: 403,
  },
  APPROVAL_OTHER_ARGUMENTS: {
    message:
      'Approval {approval} is for arguments with the hash {hash}, not for the ones you sent.',
    remedy: 'Review it again with surety approvals {approval}, then approve those arguments.',
    status: 409,
  },
  APPROVAL_ANSWERED: {
    message: 'Approval {approval} was already {status} by {by}.',
    remedy: 'An approval can be answered only once. The agent has to propose the call again.',
    status: 409,
  },
  APPROVAL_EXPIRED: {
    message: 'Approval {approval} expired before anybody answered it.',
    remedy: 'The agent has to propose the call again; that opens a new approval.',
    status: 410,
  },
  STOP_SCOPE_INVALID: {
    message: '"{scope}" is not something that can be stopped.',
    remedy: 'Use workspace, agent:<name> or tool:<name>.',
    status: 400,
  },
  TOOL_REPORTED_ERROR: {
    message: '{tool} returned an error: {reason}',
    remedy: 'Correct the arguments or the cause, then make a new call.',
    status: 422,
  },
  TOOL_ARGUMENTS: {
    message: 'Invalid arguments for {tool}: {reason}.',
    remedy: 'Send the arguments that its input schema declares; tools/list returns the schema.',
    status: 422,
  },
  TOOL_UNKNOWN: {
    message: 'No server behind the gateway has a tool named {tool}.',
    remedy: 'Use a name from tools/list.',
    status: 404,
  },
  TOOL_BLOCKED: {
    message: "{tool}'s definition changed since it was accepted.",
    remedy: 'Ask an operator to review the change and accept it: surety mcp accept {tool}',
    blame: 'operator',
    retryable: true,
    status: 409,
  },
  TOOL_CONTRADICTS: {
    message:
      'The contract of {tool} says that it is read-only, but its server says that it is not.',
    remedy: 'Ask an operator to correct `effect` in its contract, or to have the server fixed.',
    blame: 'operator',
    retryable: true,
    status: 409,
  },
  TOOL_NOT_BLOCKED: {
    message: 'There is no change of {tool} to accept: {reason}.',
    remedy: 'List the tools that wait for acceptance: surety mcp tools',
    status: 409,
  },
  UPSTREAM_AWAY: {
    message: 'The server of {tool} is not connected. The call was not sent.',
    remedy:
      'Try again in a moment; Surety is restarting the server. surety logs daemon shows the cause.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  UPSTREAM_CUT_OFF: {
    message: 'The server of {tool} is disconnected: {reason}. The call was not sent.',
    remedy:
      'Try again later; Surety restarts the server after a pause. Ask an operator to look at the server.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  GATEWAY_ABSENT: {
    message: 'The daemon of this directory has no MCP gateway.',
    remedy: 'Add tool servers under mcp in surety.yaml, then run: surety down, surety up',
    blame: 'operator',
    status: 404,
  },
  CALL_STATE_UNKNOWN: {
    message:
      'Unknown requestState: this agent has no open call with these arguments that waits for input.',
    remedy: 'Make the call again without requestState.',
    status: 409,
  },
  REQUEST_TOO_SLOW: {
    message: 'The request body took longer than {limit} ms to arrive.',
    remedy: 'Send the whole body without pauses.',
    retryable: true,
    status: 408,
  },
  HOOK_INPUT_INVALID: {
    message: 'The hook cannot read this call: {reason}.',
    remedy:
      'If the reason is about the command: send a shorter one, in valid UTF-8, without NUL. Otherwise the harness sent a form that Surety does not know: update both.',
    status: 400,
  },
  HOOK_CALL_REPEATED: {
    message: 'A call with this id was executed already (proposal {proposal}).',
    remedy: 'To run it again, call the tool again: the harness gives each call a new id.',
    status: 409,
  },
  HOOK_CALL_UNKNOWN: {
    message: '{tool} ran, but Surety had not granted this call.',
    remedy:
      'Check whether the hook before calls is there: surety hook status. With --fail-open, calls also run while the daemon does not answer.',
    blame: 'operator',
    status: 404,
  },
  CLIENT_FILE_INVALID: {
    message: '{path} cannot be edited: {reason}.',
    remedy:
      'The file is unchanged. Fix it, or run surety mcp add --print and add that text by hand.',
    status: 400,
  },
  CLIENT_FILE_CHANGED: {
    message: 'Another program changed {path} at the same time.',
    remedy:
      'Nothing was written. Close the program that owns the file, then run the command again.',
    retryable: true,
    status: 409,
  },
  CLIENT_FILE_UNWRITABLE: {
    message: '{path} cannot be written: {reason}.',
    remedy: 'Give yourself write permission, or add the text that --print shows by hand.',
    blame: 'operator',
    status: 500,
  },
  CURSOR_UNKNOWN: {
    message: 'Unknown or expired cursor.',
    remedy: 'Ask again without a cursor.',
    status: 400,
  },
  HEADER_CONTRADICTS: {
    message: 'The header {header} and the arguments have different values.',
    remedy: 'Copy the argument that the tool marks with x-mcp-header into that header, unchanged.',
    status: 400,
  },
  CONTENT_TYPE_REFUSED: {
    message: 'The content type of the request is not application/json.',
    remedy: 'Send one JSON-RPC message as application/json.',
    status: 415,
  },
  MESSAGES_BATCHED: {
    message: 'The request contains a batch of JSON-RPC messages.',
    remedy: 'Send each JSON-RPC message in its own request.',
    status: 400,
  },
  PROPOSAL_FAILED: {
    message: 'Proposal {proposal} failed earlier: {reason}',
    remedy: 'Fix the cause, then propose it again with a new idempotency key.',
    blame: 'environment',
    status: 422,
  },
  PROPOSAL_UNKNOWN: {
    message: 'Proposal {proposal} was interrupted. It is unknown whether it took effect.',
    remedy: 'Check the affected system, then propose what is still missing with a new key.',
    blame: 'environment',
    status: 409,
  },
  CONTENT_SHREDDED: {
    message: 'The content "{name}" of entry {seq} was deleted.',
    remedy: 'It cannot be recovered. The entry itself, its time and its hash remain.',
    blame: 'operator',
    status: 410,
  },
  LEDGER_BUSY: {
    message: '{waiting} requests are already waiting for the ledger.',
    remedy: 'Try again in a moment, with fewer requests at once.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  LEDGER_CLOSED: {
    message: 'The ledger is closed.',
    remedy: 'Start Surety again: surety up',
    retryable: true,
    status: 503,
  },
  LEDGER_CORRUPT: {
    message: 'The ledger cannot be read: {reason}.',
    remedy:
      'Nothing was written. Keep the file, restore a backup or an export, then run: surety ledger verify',
    blame: 'environment',
    status: 500,
  },
  LEDGER_DIVERGED: {
    message: 'The ledger does not continue what was signed here: {reason}.',
    remedy:
      'Nothing was written. Restore the newest copy of the database. If it is lost, accept the loss as the owner, with an entry in the ledger: surety ledger acknowledge',
    blame: 'operator',
    status: 500,
  },
  LEDGER_IN_DOUBT: {
    message:
      'The database became unreachable during a commit; it is unknown whether {entries} entries were written.',
    remedy:
      'Send the request again with the same idempotency key once the database is back. Nothing is written twice.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  LEDGER_MISSING: {
    message: 'There is no ledger at {path}.',
    remedy: 'Create one with surety up, or name another directory with --directory.',
    status: 404,
  },
  LEDGER_MOVED: {
    message: 'Another writer appended to the ledger first.',
    remedy: 'Nothing was written. Try again; Surety will decide on the new state.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  LEDGER_NEWER: {
    message:
      'The database has schema version {found}, but this version of Surety supports only versions up to {known}.',
    remedy: 'Install the newer Surety that wrote it. Nothing was changed.',
    blame: 'operator',
    status: 500,
  },
  LEDGER_OTHER_WORKSPACE: {
    message: 'This ledger belongs to workspace "{found}", not to "{wanted}".',
    remedy: 'Set workspace: {found} in surety.yaml, or use another directory.',
    blame: 'operator',
    status: 500,
  },
  WITNESS_UNUSABLE: {
    message: 'The witness {where} cannot be used: {reason}.',
    remedy: 'Correct the address or the file, and try again. Nothing was witnessed there.',
    blame: 'environment',
    status: 502,
  },
  EXPORT_INVALID: {
    message: 'Line {line} of the export is invalid: {reason}.',
    remedy: 'Export again from the original ledger: surety ledger export',
    status: 400,
  },
  IMPORT_NOT_EMPTY: {
    message: 'The ledger of workspace "{workspace}" already has {entries} entries.',
    remedy: 'Import into a new directory, or into a Postgres workspace that does not exist yet.',
    status: 409,
  },
  STORE_UNAVAILABLE: {
    message: "The ledger's database does not answer: {reason}.",
    remedy: 'Nothing was written. Try again; if the error persists, run: surety doctor',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  STORE_FULL: {
    message: 'The disk that holds the ledger is full.',
    remedy: 'Nothing was written. Free some disk space; Surety then continues by itself.',
    blame: 'operator',
    retryable: true,
    status: 507,
  },
  STORE_READ_ONLY: {
    message: 'The ledger is not writable: {reason}.',
    remedy: "Nothing was written. Make the directory and its files writable for the daemon's user.",
    blame: 'operator',
    status: 500,
  },
  QUERY_NOT_A_SELECT: {
    message: 'A query must be a single SELECT statement.',
    remedy: 'Send one SELECT over the views, and no other statement: surety query --help',
    status: 400,
  },
  QUERY_REFUSED: {
    message: 'Queries may not use the {what} {name}.{hint}',
    remedy:
      'Query these views: {views}. Only functions that compute from their arguments are allowed; see docs/telemetry.md.',
    status: 403,
  },
  QUERY_INVALID: {
    message: 'The query failed: {reason}',
    remedy: '{hint}',
    status: 400,
  },
  QUERY_TOO_LONG: {
    message: 'The query has {chars} characters; the limit is {limit}.',
    remedy: 'Write a shorter query.',
    status: 413,
  },
  QUERY_TOO_SLOW: {
    message: 'The query was cancelled after {ms} ms.',
    remedy: 'Query a shorter time range (WHERE time > now() - INTERVAL 1 HOUR) or fewer columns.',
    status: 408,
  },
  QUERY_TOO_LARGE: {
    message: 'The query needs more memory than its limit: {reason}',
    remedy: 'Query a shorter time range, group by fewer columns, or sort fewer columns.',
    status: 413,
  },
  QUERY_UNSTOPPABLE: {
    message:
      'The query neither finished nor stopped when cancelled, so the telemetry process is restarting.',
    remedy: 'Do not run it again as it is. Build shorter strings and lists, over fewer rows.',
    status: 413,
  },
  QUERIES_TOO_MANY: {
    message: '{running} queries are running and {waiting} are waiting.',
    remedy: 'Try again when some of them have finished.',
    retryable: true,
    status: 429,
  },
  GATE_CLOSED: {
    message: 'The gate of this program is closed.',
    remedy: 'Open it again with openGate, or close it only after the last call.',
    status: 503,
  },
  DIRECTORY_IN_USE: {
    message: 'Another {holder} (pid {pid}) already uses {directory}.',
    remedy:
      'Use that one (surety status; in a program: openGate with `daemon`), or stop it first: surety down',
    status: 409,
  },
  DAEMON_NOT_RUNNING: {
    message: 'No Surety daemon is running for {directory}.',
    remedy: 'Start it: surety up',
    retryable: true,
    status: 503,
  },
  DAEMON_UNPROVEN: {
    message:
      'The program at {address} did not prove that it is the daemon that issued this token; another program may listen there. The token was not sent.',
    remedy:
      'Compare the address with the one that surety status shows. If you use a tunnel, its local and remote ports must be the same.',
    blame: 'environment',
    status: 502,
  },
  DAEMON_SILENT: {
    message: 'The daemon for {directory} did not answer within {seconds} s.',
    remedy: 'Read its log: surety logs daemon. Then restart it: surety down, surety up',
    blame: 'environment',
    retryable: true,
    status: 504,
  },
  DAEMON_START_FAILED: {
    message: 'The daemon did not start: {reason}.',
    remedy: 'Read its log: surety logs daemon. Then check the machine: surety doctor',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  PORT_TAKEN: {
    message: 'Port {port} on {host} is in use by another program.',
    remedy:
      'Stop that program, or set another port in surety.yaml (for api.port, 0 picks a free one).',
    blame: 'operator',
    retryable: true,
    status: 503,
  },
  KEEPER_UNREACHABLE: {
    message: 'The keeper does not answer: {reason}.',
    remedy: 'Start it again: surety up. It finds its running processes and takes them over.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  KEEPER_REQUEST_INVALID: {
    message: 'Invalid request to the keeper: {reason}.',
    remedy:
      'Surety itself sends these requests, so this is a bug. Please report it with the output of: surety doctor --json',
    status: 400,
  },
  KEEPER_FULL: {
    message: 'The keeper already runs {limit} processes, which is its limit.',
    remedy: 'Close lanes that you no longer need.',
    retryable: true,
    status: 503,
  },
  PROCESS_START_FAILED: {
    message: 'The process "{name}" could not be started: {reason}.',
    remedy: 'Check its command, its directory and its log: surety logs {name}',
    blame: 'operator',
    status: 500,
  },
  PROCESS_RUNNING: {
    message: 'The process "{name}" is already running with pid {pid}.',
    remedy: 'Stop it first, or wait until it ends.',
    retryable: true,
    status: 409,
  },
  PRELOAD_NEEDED: {
    message: '{service} cannot be started without the preload: its port is built in.',
    remedy: 'Start the system with the preload: surety system up',
    status: 422,
  },
  PROBE_REQUEST_INVALID: {
    message: 'Invalid probe request: {field} is not allowed, {reason}.',
    remedy: 'Allowed: {allowed}.',
    status: 400,
  },
  PROBE_EXPRESSION_INVALID: {
    message: 'The expression "{expression}" is invalid: {reason}.',
    remedy:
      'Send one expression in the language of the process (JavaScript without types), without comments.',
    status: 400,
  },
  PROBE_NOT_READ_ONLY: {
    message: 'The expression "{expression}" could change the process: it contains {construct}.',
    remedy:
      'Only read, compare and calculate. docs/probes.md lists the functions that may be called.',
    status: 422,
  },
  PROBE_PROCESS_MISSING: {
    message: 'There is no process {pid}.',
    remedy: 'The service may have restarted. Look up its current pid: surety system status',
    status: 404,
  },
  PROBE_NOT_PERMITTED: {
    message: 'Process {pid} cannot be probed: {reason}.',
    remedy:
      'Run Surety on the machine of that process, as its user or as root, while it is not stopped. Agents name a service instead of a pid.',
    blame: 'operator',
    status: 403,
  },
  PROBE_NOT_NODE: {
    message: 'Process {pid} ({program}) cannot be probed: {reason}. It was not touched.',
    remedy:
      'Name a running Node process, or the shell or npm that started it. If it has just started, try again; if it has --disable-sigusr1, start it without.',
    status: 422,
  },
  PROBE_PORT_TAKEN: {
    message:
      'The inspector of process {pid} needs port {port}, but {holder} already listens there.',
    remedy:
      'Stop that probe or debugger first. Or start services with --inspect-port=0, so that each inspector takes a free port.',
    blame: 'operator',
    retryable: true,
    status: 409,
  },
  PROBE_BUSY: {
    message: 'A debugger is attached to process {pid}.',
    remedy: 'Wait until that debugger is detached.',
    retryable: true,
    status: 409,
  },
  PROBE_INSPECTOR_FAILED: {
    message: 'The inspector of process {pid} failed: {reason}.',
    remedy:
      'Try again. If it fails again, check whether the process responds and whether it handles SIGUSR1 itself.',
    blame: 'environment',
    retryable: true,
    status: 504,
  },
  PROBE_SCRIPT_NOT_FOUND: {
    message: '{count} loaded files of process {pid} end in "{file}"; a probe needs exactly one.',
    remedy: 'Give the absolute path of a file that the process has loaded: {candidates}',
    status: 404,
  },
  PROBE_SCRIPT_UNREADABLE: {
    message: '{file} cannot be probed: its syntax is not understood, or it uses a with statement.',
    remedy: 'Probe the code that calls it, in another file.',
    status: 422,
  },
  PROBE_FUNCTION_NOT_FOUND: {
    message: 'No probe can be placed in function "{function}" of {file}: {reason}.',
    remedy: 'Give the name of one function, such as validate or Orders.validate, or a line.',
    status: 404,
  },
  PROBE_AGENT_REFUSED: {
    message: 'Process {pid} does not let the probe agent start: {reason}.',
    remedy:
      'A process with --permission needs --allow-worker. Otherwise start it under surety system up and probe a lane.',
    blame: 'operator',
    status: 422,
  },
  PROBE_NOTHING_TO_ATTACH: {
    message: 'No process that can be probed runs at or below pid {pid}.',
    remedy:
      'Surety probes Node, Python and Go processes. Name one of them, or the npm or shell that started it.',
    status: 404,
  },
  EVIDENCE_UNSIGNED: {
    message: 'No checkpoint covers entry {seq} yet, so nothing signed can prove it.',
    remedy: 'Try again in some seconds: a running daemon signs the ledger every 5 s.',
    retryable: true,
    status: 409,
  },
  PROBE_BLOCKED: {
    message: 'No probe may be placed at {place}: surety.yaml blocks {rule}.',
    remedy: 'Probe code around it, or change probes.blocked in surety.yaml.',
    blame: 'operator',
    status: 403,
  },
  PROBE_PRODUCTION: {
    message: 'A probe in {service} is a probe in production.',
    remedy:
      'A person with the role operator may place it: surety probe add … --allow-production. Agents probe a lane instead.',
    blame: 'operator',
    status: 403,
  },
  PROBES_OFF: {
    message: 'Probes are switched off in this workspace.',
    remedy: 'An operator allows them again: surety probe on',
    blame: 'operator',
    status: 403,
  },
  PROBE_TOO_MANY: {
    message: 'Process {pid} already has {max} probes.',
    remedy: 'Remove one first: surety probe list shows them, surety probe remove ends one.',
    status: 409,
  },
  PROBE_STALL_PREDICTED: {
    message:
      'Attaching to process {pid} would stop it for about {attachMs} ms; the limit is {max} ms.',
    remedy: 'A person can allow it for this probe: --allow-stall',
    status: 422,
  },
  PROBE_GENERATED: {
    message: '{file}:{line} was made of {source} by a compiler or bundler.',
    remedy: 'Name the source instead: surety probe add {source}.',
    blame: 'operator',
    status: 422,
  },
  PROBE_SOURCE_MAPPED: {
    message: '{file} was transpiled when it was loaded, and its source map cannot be read.',
    remedy:
      "Let the loader write source maps, run the file with Node's type stripping, or probe the built JavaScript.",
    blame: 'operator',
    status: 422,
  },
  PROBE_LINE_REFUSED: {
    message: 'No probe can be placed at line {line} of {file}: {reason}.',
    remedy: 'Choose a line where a statement begins, inside the function that you want to observe.',
    status: 422,
  },
  PROBE_KIND_UNSUPPORTED: {
    message: 'Probes of kind "{kind}" cannot be placed in {runtime}.',
    remedy: 'Use a log, a snapshot or a counter at a line.',
    status: 422,
  },
  PROBE_TARGET_REFUSED: {
    message: 'Process {pid} ({program}) cannot be probed: {reason}. It was not changed.',
    remedy: '{remedy}',
    blame: 'operator',
    status: 422,
  },
  PROBE_DEBUGGER_MISSING: {
    message: '{debugger} was not found. Probes in {language} need it.',
    remedy: '{remedy}',
    blame: 'operator',
    status: 422,
  },
  PROBE_DEBUGGER_FAILED: {
    message: '{debugger} failed at process {pid}: {reason}.',
    remedy: 'Check that the process runs and answers, then try again.',
    blame: 'environment',
    retryable: true,
    status: 504,
  },
  CONFIG_INVALID: {
    message: '{path} has {count} error(s):\n{mistakes}',
    remedy: 'Correct the lines above. docs/configuration.md lists every key.',
    blame: 'operator',
    status: 500,
  },
  NOTHING_DISCOVERED: {
    message: 'Surety found no file in {directory} that says how to start a service.',
    remedy:
      'Surety reads package.json, Procfile, docker-compose.yml, Kubernetes manifests, Tiltfile and skaffold.yaml. Or write surety.yaml by hand: docs/configuration.md lists every key.',
    status: 404,
  },
  CONFIG_UNREADABLE: {
    message: '{path} cannot be read: {reason}.',
    remedy: 'Check the path and its permissions.',
    blame: 'operator',
    status: 500,
  },
  POLICY_INVALID: {
    message: '{path} has {count} error(s):\n{mistakes}',
    remedy: 'Correct the lines above. docs/policy-reference.md lists every key.',
    blame: 'operator',
    status: 422,
  },
  POLICY_UNREADABLE: {
    message: 'The policy {path} cannot be read: {reason}.',
    remedy: 'Check the path, its permissions and its size.',
    blame: 'operator',
    status: 500,
  },
  POLICY_NOT_KEPT: {
    message: 'Entry {seq} should contain policy {hash}, but contains {found}.',
    remedy: 'Change the policy, so that Surety adopts and records it again.',
    blame: 'environment',
    status: 500,
  },
  POLICY_REPLACED: {
    message:
      'The policy file here is not in force: it is version {own}, and version {inForce} replaced it.',
    remedy: 'Update the file, or run surety policy adopt to go back to it.',
    blame: 'operator',
    status: 409,
  },
  POLICY_NOT_NAMED: {
    message: '{directory} has no policy.',
    remedy: 'Add `policy: policy.yaml` to surety.yaml, or name the file on the command line.',
    status: 404,
  },
  POLICY_NOT_HERE: {
    message: '{tool} has no contract in the policy files of this workspace{where}.',
    remedy: 'Tools with a contract: {known}',
    status: 404,
  },
  POLICY_NOT_ADOPTED: {
    message: 'The daemon has not adopted policy {hash} yet.',
    remedy: 'See which policy is in force, and any error: surety policy show',
    blame: 'operator',
    retryable: true,
    status: 503,
  },
  CASES_INVALID: {
    message: '{path} has {count} error(s):\n{mistakes}',
    remedy: 'Correct the lines above. docs/guard.md explains the format of cases.',
    blame: 'operator',
    status: 422,
  },
  CASES_UNREADABLE: {
    message: 'The cases in {path} cannot be read: {reason}.',
    remedy:
      'Put the cases beside the policy, in <policy>.cases.yaml or cases.yaml, or name a file with --cases.',
    blame: 'operator',
    status: 500,
  },
  DRAFT_EMPTY: {
    message: 'The ledger has no proposals to draft a contract from.',
    remedy: 'Let agents work for a while with `mode: observe` in the policy, then draft again.',
    status: 404,
  },
  DIRECTORY_NOT_EMPTY: {
    message: '{directory} is not empty: it has {found}.',
    remedy: 'Make a new folder for the sample: mkdir shop && cd shop && surety init --demo.',
    status: 409,
  },
  COMMIT_MISSING: {
    message:
      '{directory} is not a git repository with a commit, and Surety runs what is committed.',
    remedy:
      'Commit it: git init && git add --all && git commit -m "first", then run surety init again with --force.',
    blame: 'operator',
    status: 409,
  },
  FILE_EXISTS: {
    message: '{path} already exists.',
    remedy:
      'Choose another path, print the text with --print where the command has it, or overwrite the file with --force.',
    status: 409,
  },
  RUNNER_VARIABLE_MISSING: {
    message:
      'Running {tool} needs the environment variable {name}, which the daemon does not have.',
    remedy: 'Set {name} in the environment of the daemon and restart it: surety down, surety up',
    blame: 'operator',
    status: 500,
  },
  SYSTEM_EMPTY: {
    message: '{path} declares no services.',
    remedy:
      'Add them under "services:", or draft the file with surety init. Then restart the daemon: surety down, surety up. docs/configuration.md lists every key.',
    blame: 'operator',
    status: 409,
  },
  SYSTEM_NOT_RUNNING: {
    message: 'The system is not running.',
    remedy: 'Start it from a git repository with at least one commit: surety system up',
    retryable: true,
    status: 409,
  },
  OVERLAY_UNKNOWN: {
    message: 'surety.yaml has no overlay "{overlay}".',
    remedy: '{hint}Overlays: {known}',
    status: 404,
  },
  SERVICE_UNKNOWN: {
    message: 'This system has no service "{service}".',
    remedy: 'Services: {known}',
    status: 404,
  },
  SECRET_MISSING: {
    message: 'The secret {variable} of {service} could not be read from {reference}: {reason}.',
    remedy:
      'Provide it there (for env:, set the variable and run surety down && surety up), or name another source in surety.yaml: env:NAME, file:path or command:…',
    blame: 'operator',
    retryable: true,
    status: 502,
  },
  STEP_FAILED: {
    message: '{step} of {service} failed ({how}): {command}\n{lines}',
    remedy: 'Fix the cause and try again. The whole output: surety logs {log}',
    blame: 'operator',
    status: 502,
  },
  SERVICE_ELSEWHERE: {
    message: '{service} runs at {address}; Surety did not start it and cannot restart it.',
    remedy:
      'Restart it where it runs. For Surety to run it, give it a command in place of its address; for its candidates in lanes, a lane.command.',
    status: 409,
  },
  DATASTORE_UNREACHABLE: {
    message: 'The datastore {store} does not answer at {address}: {reason}.',
    remedy:
      'Start it there, or let Surety start it: write datastores.{store}.start: local in surety.yaml (PostgreSQL or Redis installed on this machine), or a command such as docker run.',
    blame: 'operator',
    status: 502,
  },
  KUBERNETES_UNCONFIGURED: {
    message: 'surety.yaml says nothing about Kubernetes.',
    remedy:
      'Write kubernetes.namespace, and lane.kubernetes.deployment of each service that runs there.',
    status: 409,
  },
  KUBERNETES_NO_CLUSTER: {
    message: 'Surety found no Kubernetes cluster: {reason}.',
    remedy:
      'Set KUBECONFIG to a kubeconfig with a current context, or name one of its contexts in kubernetes.context.',
    blame: 'operator',
    status: 409,
  },
  KUBERNETES_UNREACHABLE: {
    message: 'The Kubernetes API at {server} does not answer: {reason}.',
    remedy:
      'Check KUBECONFIG, the context and the network; surety kubernetes check tries it again.',
    blame: 'environment',
    retryable: true,
    status: 502,
  },
  KUBERNETES_FORBIDDEN: {
    message: 'The cluster does not allow Surety to {what}: {reason}.',
    remedy:
      'Run Surety with the account that surety kubernetes manifests prints with its Role and RoleBinding. surety kubernetes check lists missing rights.',
    blame: 'operator',
    status: 502,
  },
  KUBERNETES_QUOTA: {
    message: 'The quota of the namespace refuses to {what}: {reason}.',
    remedy:
      'Close other lanes (surety lane list, surety lane close), lower the requests of the service, or raise the ResourceQuota.',
    blame: 'operator',
    retryable: true,
    status: 502,
  },
  KUBERNETES_REFUSED: {
    message: 'The cluster refused to {what}: {reason}.',
    remedy:
      'Correct what the reason names. It comes from the API server or an admission webhook of the cluster.',
    blame: 'operator',
    status: 502,
  },
  KUBERNETES_DEPLOYMENT_UNKNOWN: {
    message: 'There is no Deployment {deployment} in {place}.',
    remedy:
      'Correct lane.kubernetes.deployment or lane.kubernetes.manifest of the service in surety.yaml. kubectl get deployments lists those that run.',
    blame: 'operator',
    status: 502,
  },
  KUBERNETES_CONTAINER_UNKNOWN: {
    message: 'The Deployment {deployment} has no container {container}.',
    remedy: 'Correct lane.kubernetes.container in surety.yaml. Containers: {known}',
    blame: 'operator',
    status: 502,
  },
  KUBERNETES_LABELS_SHARED: {
    message:
      'The Service {service} also sends requests to pods that are not ready, so it would send the baseline’s requests to a candidate.',
    remedy:
      'Remove publishNotReadyAddresses from that Service. While it is set, this service can have no candidate.',
    blame: 'operator',
    status: 502,
  },
  KUBERNETES_ROUTE_REFUSED: {
    message: 'The gateway does not accept the route of {service}: {reason}.',
    remedy:
      'Correct kubernetes.routes in surety.yaml, or let the listener of the Gateway allow routes of this namespace.',
    blame: 'operator',
    status: 502,
  },
  KUBERNETES_BUILD_FAILED: {
    message: 'The image of {service} could not be built: {reason}.',
    remedy:
      'Fix the cause and try again. The log of the candidate has the output of the build: surety lane logs',
    status: 502,
  },
  SERVICE_UNHEALTHY: {
    message: '{service} did not become healthy: {reason}.{lines}',
    remedy: '{advice} The whole log: surety logs {log}.',
    blame: 'operator',
    status: 502,
  },
  GIT_FAILED: {
    message: 'git {command} failed: {reason}',
    remedy: 'Lanes and promotions need a git repository with at least one commit.',
    blame: 'operator',
    status: 500,
  },
  CHANGE_INVALID: {
    message: 'Invalid change: {reason}.',
    remedy:
      'Send a unified diff from git with paths relative to the repository, or name a branch, commit or worktree that differs from the baseline.',
    status: 400,
  },
  CHANGE_DOES_NOT_APPLY: {
    message: 'The change does not apply to {base}: {reason}',
    remedy:
      'Bring that version, which is the baseline, into your branch (git merge {base}) and make the patch again. Nothing was applied.',
    status: 409,
  },
  FINDING_UNKNOWN: {
    message: 'No verdict has a finding {finding}.',
    remedy: 'Take the id of a finding from a verdict: surety verdict show <verdict>',
    status: 404,
  },
  BASE_MOVED: {
    message: 'The change is based on {base}, but the baseline is now {running}.',
    remedy: 'A verdict counts only for the version it was made on. Verify the change again.',
    status: 409,
  },
  VERDICT_LAPSED: {
    message: 'The pass {verdict} no longer counts: {why}.',
    remedy:
      'Nothing was promoted. Verify the change again. promotion.passHours sets how long a pass counts.',
    status: 409,
  },
  PROMOTION_UNPROVEN: {
    message: 'This change has no current pass on the running baseline: {why}.',
    remedy:
      'Nothing was promoted. Verify the change first: surety verify. To promote it without a verdict, give a reason: --reason "…"',
    status: 409,
  },
  NOTHING_TO_ROLL_BACK: {
    message: 'Cannot roll back: Surety knows no promotion that made the baseline {version}.',
    remedy: 'Nothing was changed. To see the known promotions: surety deploy list',
    status: 409,
  },
  CHANGE_TOUCHES_NO_SERVICE: {
    message:
      'No service owns or uses one of the changed files, so there is nothing to run: {files}',
    remedy:
      'If a service uses one of these files, add the file or its folder to the paths of that service in surety.yaml.',
    status: 422,
  },
  CHANGE_PROTECTED: {
    message: 'The change {change} touches protected files: {files}',
    remedy:
      'Leave these files out. Or ask a person to allow exactly this change: surety change override <patch> --reason <why>',
    status: 403,
  },
  LANES_FULL: {
    message: 'This lane does not fit: {used} of {max} {what} are in use, and it needs {more}.',
    remedy:
      'Close lanes that you no longer need: {close}. Or raise the limit under lanes in surety.yaml.',
    retryable: true,
    status: 429,
  },
  VERIFICATIONS_FULL: {
    message: '{actor} already has {count} verifications running, the limit for one agent.',
    remedy: 'Wait until one of them has a verdict, then verify again.',
    retryable: true,
    status: 429,
  },
  LANE_TTL_INVALID: {
    message: 'The time to live of a lane must be from 1 ms to {minutes} minutes.',
    remedy: 'Ask for a shorter time, or raise lanes.ttlMinutesMax in surety.yaml.',
    status: 400,
  },
  LANE_AT_ITS_END: {
    message:
      'Lane {lane} cannot be extended: a lane ends at most {minutes} minutes after it was opened.',
    remedy: 'Open a new lane with the same change.',
    status: 409,
  },
  PORTS_EXHAUSTED: {
    message: 'No port from {first} to {last} is free.',
    remedy: 'Close lanes, or stop other programs that listen on these ports.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  LANE_LOGS_CLOSED: {
    message: 'Lane {lane} is closed.',
    remedy: '{left} Surety keeps the logs of the last {lanes} closed lanes, for {days} days.',
    status: 404,
  },
  LANE_CLOSED: {
    message: 'There is no open lane {lane}.',
    remedy: 'List the open lanes: surety lane list',
    status: 404,
  },
  DATASTORE_UNKNOWN: {
    message: 'There is no datastore "{store}".',
    remedy: 'Datastores in surety.yaml: {known}',
    status: 404,
  },
  DATA_BRANCH_UNSAFE: {
    message:
      'The lane cannot have its own {store}: {services} would keep using the live one, and the data of both would mix.',
    remedy: 'Open the lane with --isolated or with these services in it, or share the store.',
    status: 422,
  },
  DATA_BRANCH_UNUSED: {
    message: 'No service in surety.yaml declares that it uses the datastore {store}.',
    remedy: 'Add it to `stores` of every service that uses it. Then a lane can have its own.',
    blame: 'operator',
    status: 422,
  },
  DATA_BRANCH_TOO_LARGE: {
    message: 'The live {store} has {keys} keys; Surety copies at most {keysMax} for a lane.',
    remedy: 'Open the lane with an empty {store}, or configure commands that branch it.',
    blame: 'operator',
    status: 422,
  },
  DATA_BRANCHES_USED_UP: {
    message: 'All logical databases of {store} are in use.',
    remedy: 'Close a lane that has one, raise `databases` of the server, or use branch: prefix.',
    blame: 'operator',
    retryable: true,
    status: 429,
  },
  PROGRAM_MISSING: {
    message: 'The program {program} is not installed.',
    remedy: 'Install it (Debian: apt-get install {package}) or put it on PATH, then try again.',
    blame: 'operator',
    retryable: true,
    status: 500,
  },
  DATA_BRANCH_FAILED: {
    message: 'Creating the {store} of the lane failed: {reason}',
    remedy: 'Surety removed everything it had created. {advice}',
    blame: 'environment',
    retryable: true,
    status: 502,
  },
  NOTHING_TO_MEASURE: {
    message: 'No suite sends a request to a service that can run in a lane.',
    remedy: 'Write a suite that sends requests (docs/suites.md), or name services with --service.',
    status: 422,
  },
  TRAFFIC_NOT_RECORDED: {
    message: 'Traffic recording is off for this system.',
    remedy:
      'Add `record` under `traffic` in surety.yaml, with an `ingress` port that clients use; then run: surety down, surety up. docs/traffic.md explains what is recorded.',
    blame: 'operator',
    status: 409,
  },
  TRAFFIC_UNKNOWN: {
    message: 'There is no recorded scenario "{scenario}".',
    remedy: 'List the recorded scenarios: surety traffic list',
    status: 404,
  },
  SUITE_UNKNOWN: {
    message: 'There is no suite "{suite}".',
    remedy: 'Suites in surety.yaml: {known}',
    status: 404,
  },
  INJECTION_INVALID: {
    message: 'The request asks for a fault that cannot be injected: {reason}.',
    remedy:
      'Write for example surety-fault=caller>service:delay=800 in its baggage. docs/suites.md has the whole syntax.',
    status: 400,
  },
  LANE_UNKNOWN: {
    message: 'This request belongs to no open lane: {reason}.',
    remedy:
      'Open a lane and send its key. Send requests for the baseline without a key, directly to the service.',
    status: 503,
  },
  LANE_FOREIGN: {
    message: 'The address {address} belongs to another lane than this request.',
    remedy: "Use the service's own name or port; the router picks the right version.",
    status: 503,
  },
  LANE_SERVICE_DOWN: {
    message: 'The candidate of {service} in lane {lane} does not answer: {reason}.',
    remedy:
      'Read its log, then open the lane again. The request was not sent to the baseline instead.',
    blame: 'environment',
    retryable: true,
    status: 502,
  },
  TARGET_UNREACHABLE: {
    message: '{target} does not answer: {reason}.',
    remedy: 'Check that it is running, and that the calling service has the right address.',
    blame: 'environment',
    retryable: true,
    status: 502,
  },
  UPGRADE_UNSUPPORTED: {
    message: 'The router cannot upgrade to {protocol}; it tunnels only WebSocket connections.',
    remedy: 'Send the request without an Upgrade header, or run Surety on Node 24.9 or later.',
    blame: 'surety',
    status: 501,
  },
  ROUTER_REQUEST_INVALID: {
    message: 'Invalid request to the router: {reason}.',
    remedy:
      'Surety itself sends these requests, so this is a bug. Please report it with the output of: surety doctor --json',
    status: 400,
  },
  ROUTER_PORT_TAKEN: {
    message: "The router's port {port} on 127.0.0.1 is in use by another program.",
    remedy: 'Stop that program, or set SURETY_ROUTER_PORT (0 picks a free port).',
    blame: 'operator',
    retryable: true,
    status: 503,
  },
  ROUTER_UNREACHABLE: {
    message: 'The router does not answer: {reason}.',
    remedy:
      'Start it again: surety up. Until then requests with a lane key are refused; other requests are not affected.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  PROMETHEUS_NOT_SET: {
    message: 'surety.yaml names no Prometheus server.',
    remedy: 'Set telemetry.prometheus.url in surety.yaml, then run: surety down, surety up',
    status: 409,
  },
  PROMETHEUS_UNREACHABLE: {
    message: 'The query "{query}" could not be sent to Prometheus at {url}: {reason}.',
    remedy: 'Check that the server is running, and telemetry.prometheus in surety.yaml.',
    blame: 'environment',
    retryable: true,
    status: 502,
  },
  PROMETHEUS_NOT_NARROWED: {
    message: 'The query "{query}" could not be parsed, so it could not be limited to your lanes.',
    remedy: 'Rewrite it in plain PromQL, or use ask_telemetry, which has the same data.',
    status: 422,
  },
  PROMETHEUS_REFUSED: {
    message: 'Prometheus at {url} answered "{query}" with status {status}: {reason}',
    remedy: 'Correct the query. Use the metric names of that server.',
    status: 422,
  },
  TELEMETRY_UNREACHABLE: {
    message: 'The telemetry process does not answer: {reason}.',
    remedy: 'Start it with the system: surety system up. Reports sent in the meantime are lost.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  TELEMETRY_CLOSED: {
    message: 'The telemetry process accepts no data at the moment: {reason}.',
    remedy:
      'Send it again in a second. If the error persists, check whether the daemon is running: surety status',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  TELEMETRY_PORT_TAKEN: {
    message: 'The telemetry process could not listen on port {port}: {reason}.',
    remedy: 'Stop the program on that port, or set another telemetry.port or telemetry.grpcPort.',
    blame: 'operator',
    status: 409,
  },
  TELEMETRY_DISK_FULL: {
    message: 'The telemetry process could not start: the disk that holds {directory} is full.',
    remedy:
      'Free some disk space, then run: surety system up. Services keep running, but their telemetry is lost.',
    blame: 'operator',
    retryable: true,
    status: 507,
  },
  TEST_DOES_NOT_FAIL: {
    message: 'The test passes on the baseline, so it does not show what is missing.',
    remedy: 'Submit a test that fails now and passes with the change.',
    status: 422,
  },
  TEST_BROKEN: {
    message: 'The test could not be run: {reason}.',
    remedy:
      'Print one JSON line per check (check, passed, expected, actual), and exit with 0 or 1.',
    status: 422,
  },
  TESTS_NOT_CONFIGURED: {
    message: 'surety.yaml does not say how to run a test.',
    remedy:
      'Write the command that gets the path of a test file, such as tests.command: node, then surety down && surety up && surety system up.',
    blame: 'operator',
    status: 409,
  },
  TEST_OUTSIDE: {
    message: '"{path}" is not a file inside the system: {reason}.',
    remedy: 'Put the test into the repository, and name its path from the folder of surety.yaml.',
    status: 422,
  },
  SECRET_NOT_KEPT: {
    message:
      'The {what} contains what looks like a secret. Surety stores no secrets, so it could not store this {what} unchanged.',
    remedy:
      'Remove the secret from the changed lines and the lines around them. Declare it under services.<name>.secrets in surety.yaml and read it from the environment.',
    status: 422,
  },
  TASK_UNKNOWN: {
    message: 'There is no task {task}.',
    remedy: 'Open one: surety task open, or the tool open_task.',
    status: 404,
  },
  TASK_NOT_A_CHANGE: {
    message: 'Task {task} is not for a change of the system.',
    remedy: 'Open a task that is: surety task open, or the tool open_task.',
    status: 409,
  },
  TASK_CLOSED: {
    message: 'Task {task} is {status}.',
    remedy: 'A closed task accepts no more work. Use another task, or open a new one.',
    status: 409,
  },
  TASK_NOT_YOURS: {
    message: 'Task {task} belongs to {agent}.',
    remedy: 'Ask {agent}, the owner of a parent task, or a person.',
    status: 403,
  },
  TASK_WIDER: {
    message: 'A child of task {task} cannot have {what}: {reason}.',
    remedy: 'Ask for no more than the parent has left: {left}.',
    status: 422,
  },
  TASK_INVALID: {
    message: 'Invalid task: {reason}.',
    remedy: 'Correct it and propose it again. No task was opened.',
    status: 400,
  },
  TASK_HAS_OPEN_CHILDREN: {
    message: 'Task {task} has {children} open child tasks.',
    remedy: 'Finish or cancel them first, or cancel the task with all its children.',
    retryable: true,
    status: 409,
  },
  TASK_HAS_OPEN_PROPOSALS: {
    message: 'Task {task} has {proposals} proposals without a known outcome.',
    remedy: 'Wait for their outcomes. Reconcile those with an unknown outcome first.',
    retryable: true,
    status: 409,
  },
  JOIN_INVALID: {
    message: 'Invalid join: {reason}.',
    remedy:
      'Correct it and open the join again. No join was opened. Options: surety task join --help',
    status: 400,
  },
  GRADE_BY_AUTHOR: {
    message: 'Task {task} is the work of {agent}, who cannot grade it.',
    remedy: 'Let another agent or a person grade it.',
    status: 403,
  },
  GRADE_TOO_EARLY: {
    message: 'Task {task} is {status}: it has no result to grade.',
    remedy: 'Wait until its agent has finished it. A cancelled task has no result.',
    retryable: true,
    status: 409,
  },
  TASK_PHASE_ORDER: {
    message: 'Task {task} cannot go from phase {from} to phase {to}.',
    remedy: 'The next phase is {next}.',
    status: 409,
  },
  TASK_TOO_LARGE: {
    message: 'Task {task} has too many {what}; the limit is {limit}.',
    remedy: 'Finish or cancel some of them first, or split the task less deeply.',
    status: 422,
  },
  TASK_BUSY: {
    message: 'Task {task} could not be cancelled, because agents kept adding child tasks to it.',
    remedy: 'Stop these agents, then cancel the task again. Nothing was cancelled.',
    retryable: true,
    status: 409,
  },
  AMOUNT_INVALID: {
    message: '{amount} is not a valid amount of {dimension}.',
    remedy:
      'Amounts are whole numbers from 0 to 9007199254740991. Give money in its smallest unit.',
    status: 422,
  },
  NOT_FOR_AGENTS: {
    message: 'Agents may not call {operation}.',
    remedy: 'Use an operation whose x-roles in /v1/openapi.json include agent, or ask a person.',
    status: 403,
  },
  ROLE_NEEDED: {
    message: '{operation} needs one of these roles: {roles}. You have: {have}.',
    remedy:
      'Ask somebody who has one of these roles, or ask an admin to give you one in surety.yaml.',
    status: 403,
  },
  TOKEN_UNUSABLE: {
    message: 'The token in {path} cannot be used: {reason}.',
    remedy: 'Delete the file if it exists and restart the daemon; it creates a new token.',
    blame: 'operator',
    status: 500,
  },
  GRANT_LIFE_INVALID: {
    message: '{lifeMs} ms is not a valid lifetime of a grant.',
    remedy: 'Ask for a whole number of milliseconds from 1 to {maxMs}.',
    status: 400,
  },
  GRANT_TOO_LARGE: {
    message: 'The grant would have {bytes} bytes; the limit is {limit}.',
    remedy: 'Use a shorter idempotency key, or fewer locks in one proposal.',
    status: 413,
  },
  GRANT_REFUSED: {
    message: 'The grant was refused ({refusal}): {reason}',
    remedy: '{remedy}',
    status: 403,
  },
  GRANT_KEYS_UNREADABLE: {
    message: 'The grant keys in {path} cannot be read: {reason}.',
    remedy:
      'Restore the file. Or delete it and restart the daemon; grants that are already issued are then refused.',
    blame: 'operator',
    status: 500,
  },
  GRANT_KEYS_FULL: {
    message:
      'There are already {keys} grant keys whose grants may still be valid; that is the limit.',
    remedy: 'Wait {seconds} s until the oldest key has no valid grants left, or revoke a key.',
    retryable: true,
    status: 429,
  },
  TELEMETRY_OFF: {
    message: 'Telemetry is turned off in surety.yaml.',
    remedy:
      'Remove telemetry.enabled: false from surety.yaml, then run: surety down, surety up, surety system up',
    blame: 'operator',
    status: 409,
  },
  TELEMETRY_QUESTION_UNKNOWN: {
    message: 'There is no telemetry question "{name}".{meant}',
    remedy: 'Questions: {names}. Or write SQL over the views (docs/telemetry.md).',
    status: 404,
  },
  TELEMETRY_ASKED_WRONGLY: {
    message: '{what} {reason}.',
    remedy: 'List the questions with their parameters: surety query',
    status: 400,
  },
  RANK_CASE_INVALID: {
    message: 'Could not read the incident data in {file}: {reason}.',
    remedy: 'Bring the files into the layout that docs/investigate.md describes under "Ranking".',
    status: 400,
  },
  CONFINEMENT_UNAVAILABLE: {
    message: 'Programs of a change cannot be confined on this machine: {reason}.',
    remedy:
      'Install bubblewrap (apt-get install bubblewrap; surety doctor shows whether it works), or ask the operator to write `confine: off` in surety.yaml: programs of agents then run with the rights of the operator and can read tokens, keys and the home.',
    blame: 'operator',
    status: 503,
  },
  NEEDS_LINUX: {
    message: '{what} needs Linux; this is {platform}.',
    remedy: 'Run it on Linux or in a Linux VM. The gate, the ledger and MCP work here.',
    blame: 'operator',
    status: 501,
  },
  USAGE: {
    message: '{reason}',
    remedy: 'See: {help}',
    status: 400,
  },
  INTERNAL: {
    message: 'Internal error: {detail}',
    remedy: 'This is a bug. Please report it with the output of: surety doctor --json',
    blame: 'surety',
    status: 500,
  },
} as const satisfies Record<string, FaultEntry>;

export type FaultCode = keyof typeof faults;

/** Codes that were renamed, as ledgers of earlier releases may have recorded them. */
export const formerCodes: Readonly<Record<string, FaultCode>> = {
  TOOL_HELD: 'TOOL_BLOCKED',
  TOOL_NOT_HELD: 'TOOL_NOT_BLOCKED',
};

export function faultDefinition(code: FaultCode): FaultDefinition {
  return { ...defaults, ...faults[code] };
}
