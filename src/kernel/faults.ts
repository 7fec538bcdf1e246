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

/**
 * Every fault that can leave Surety. `docs/errors.md` is generated from this table. Placeholders in
 * braces are filled in where the fault is raised.
 */
export const faults = {
  JSON_INVALID: {
    message: 'This is not JSON that can be stored exactly: {reason}.',
    remedy: 'Send strict JSON: unique keys, finite numbers, well-formed Unicode.',
    blame: 'caller',
    retryable: false,
    status: 400,
  },
  JSON_TOO_DEEP: {
    message: 'This JSON is nested more than {limit} levels deep.',
    remedy: 'Flatten it, or store the deep part as a string.',
    blame: 'caller',
    retryable: false,
    status: 400,
  },
  BODY_TOO_LARGE: {
    message: 'The body of a {kind} entry has {bytes} bytes; at most {limit} are kept on the chain.',
    remedy: 'Put documents beside the entry as contents; keep only facts in its body.',
    blame: 'caller',
    retryable: false,
    status: 413,
  },
  CONTENT_TOO_LARGE: {
    message: 'The content "{name}" has {bytes} bytes; at most {limit} are kept.',
    remedy: 'Store the document elsewhere and keep its address and hash in the ledger.',
    blame: 'caller',
    retryable: false,
    status: 413,
  },
  REQUEST_TOO_LARGE: {
    message: 'The request body is larger than {limit} bytes.',
    remedy: 'Send less in one request.',
    blame: 'caller',
    retryable: false,
    status: 413,
  },
  REQUEST_INVALID: {
    message: 'The request does not fit {operation}: {reason}.',
    remedy: 'Compare it with the API description at /v1/openapi.json.',
    blame: 'caller',
    retryable: false,
    status: 400,
  },
  NOT_FOUND: {
    message: 'There is no {what}.',
    remedy: 'List what there is: surety ledger tail, or GET /v1/openapi.json for the API.',
    blame: 'caller',
    retryable: false,
    status: 404,
  },
  UNAUTHORIZED: {
    message: 'The request carries no valid token.',
    remedy: 'Send "Authorization: Bearer <token>" with the token from .surety/token.',
    blame: 'caller',
    retryable: false,
    status: 401,
  },
  ORIGIN_REFUSED: {
    message: 'Requests for host "{host}" from origin "{origin}" are refused.',
    remedy: 'Call the API on its loopback address, and not from a web page of another origin.',
    blame: 'caller',
    retryable: false,
    status: 403,
  },
  FILE_NOT_PRIVATE: {
    message: '{path} has mode {mode}: others on this machine can read it.',
    remedy: 'Run: chmod 600 {path}  (and replace the secret if the machine is shared).',
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  DIRECTORY_NOT_PRIVATE: {
    message: '{path} is not a directory that only you can use: {reason}.',
    remedy: 'Remove it, or set TMPDIR to a directory of your own.',
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  KEY_UNREADABLE: {
    message: 'The key in {path} could not be read: {reason}.',
    remedy:
      'Restore the key from a backup. A new key can sign, but old checkpoints need the old one.',
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  LEASE_HELD: {
    message: '{resource} is held by {owner} for another {seconds} s.',
    remedy: 'Wait until the lease ends, or ask its owner to release it.',
    blame: 'caller',
    retryable: true,
    status: 409,
  },
  LEASE_LOST: {
    message: 'The lease on {resource} with fence {fence} has ended or passed to another holder.',
    remedy: 'Stop writing under this fence. Take the lease again and read the state afresh.',
    blame: 'caller',
    retryable: false,
    status: 409,
  },
  LEASE_TTL_INVALID: {
    message: 'A lease of {ttlMs} ms is not possible.',
    remedy: 'Ask for a whole number of milliseconds from 1 to {maxMs}.',
    blame: 'caller',
    retryable: false,
    status: 400,
  },
  PROPOSAL_KEY_REUSED: {
    message: 'The idempotency key "{key}" was used with other arguments by proposal {proposal}.',
    remedy: 'Use a new key for a new action; the same key only repeats the very same proposal.',
    blame: 'caller',
    retryable: false,
    status: 422,
  },
  PROPOSAL_IN_FLIGHT: {
    message: 'Proposal {proposal} with this idempotency key is still being executed.',
    remedy: 'Ask again with the same key; you will get the recorded outcome.',
    blame: 'caller',
    retryable: true,
    status: 409,
  },
  PROPOSAL_DENIED: {
    message: '{actor} may not use {tool}: {reason}.',
    remedy: '{remedy}',
    blame: 'caller',
    retryable: false,
    status: 403,
  },
  PROPOSAL_FAILED: {
    message: 'Proposal {proposal} failed earlier: {reason}',
    remedy: 'Propose it again under a new idempotency key once the reason is gone.',
    blame: 'environment',
    retryable: false,
    status: 422,
  },
  PROPOSAL_UNKNOWN: {
    message: 'Proposal {proposal} was interrupted; whether its effect took place is unknown.',
    remedy: 'Read the affected system, then propose what is still missing under a new key.',
    blame: 'environment',
    retryable: false,
    status: 409,
  },
  CONTENT_SHREDDED: {
    message: 'The content "{name}" of entry {seq} was destroyed.',
    remedy: 'It cannot be recovered. The entry itself, its time and its hash are still there.',
    blame: 'operator',
    retryable: false,
    status: 410,
  },
  LEDGER_BUSY: {
    message: '{waiting} callers are already waiting for the ledger.',
    remedy: 'Come back in a moment, with fewer calls at once.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  LEDGER_CLOSED: {
    message: 'The ledger is closed.',
    remedy: 'Start Surety again: surety up',
    blame: 'caller',
    retryable: true,
    status: 503,
  },
  LEDGER_CORRUPT: {
    message: 'The ledger cannot be read: {reason}.',
    remedy:
      'Nothing was written. Keep the file, restore a backup or an export, then run: surety ledger verify',
    blame: 'environment',
    retryable: false,
    status: 500,
  },
  LEDGER_IN_DOUBT: {
    message:
      'The store went away while {entries} entries were being committed, and has not come back to tell.',
    remedy:
      'Ask again with the same idempotency key once the store is back; nothing is written twice.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  LEDGER_MISSING: {
    message: 'There is no ledger at {path}.',
    remedy: 'Start one with: surety up  (or name the directory with --directory).',
    blame: 'caller',
    retryable: false,
    status: 404,
  },
  LEDGER_MOVED: {
    message: 'Another writer appended to the ledger first.',
    remedy: 'Nothing was written. Try again; what was decided is decided anew on the new state.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  LEDGER_NEWER: {
    message: 'The database has schema version {found}; this Surety knows versions up to {known}.',
    remedy: 'Install the newer Surety that wrote it. Nothing was changed.',
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  LEDGER_OTHER_WORKSPACE: {
    message: 'This ledger belongs to workspace "{found}", not to "{wanted}".',
    remedy: 'Set workspace: {found} in surety.yaml, or use another directory.',
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  EXPORT_INVALID: {
    message: 'Line {line} of the export cannot be used: {reason}.',
    remedy: 'Export again from the original ledger: surety ledger export',
    blame: 'caller',
    retryable: false,
    status: 400,
  },
  IMPORT_NOT_EMPTY: {
    message: 'The ledger of workspace "{workspace}" already has {entries} entries.',
    remedy: 'Import into a new directory, or into a Postgres workspace that does not exist yet.',
    blame: 'caller',
    retryable: false,
    status: 409,
  },
  STORE_UNAVAILABLE: {
    message: "The ledger's database does not answer: {reason}.",
    remedy: 'Nothing was written. Try again; if it stays away, run: surety doctor',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  STORE_FULL: {
    message: 'The disk that holds the ledger is full.',
    remedy: 'Nothing was written. Free some space; Surety goes on by itself.',
    blame: 'operator',
    retryable: true,
    status: 507,
  },
  STORE_READ_ONLY: {
    message: 'The ledger cannot be written: {reason}.',
    remedy: "Nothing was written. Make the directory and its files writable for the daemon's user.",
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  DIRECTORY_IN_USE: {
    message: 'Another {holder} (pid {pid}) already uses {directory}.',
    remedy: 'Use that one (surety status), or stop it first: surety down',
    blame: 'caller',
    retryable: false,
    status: 409,
  },
  DAEMON_NOT_RUNNING: {
    message: 'No Surety daemon is running for {directory}.',
    remedy: 'Start it: surety up',
    blame: 'caller',
    retryable: true,
    status: 503,
  },
  DAEMON_SILENT: {
    message: 'The daemon for {directory} took the call but did not answer within {seconds} s.',
    remedy:
      'Read its log: surety logs daemon. Then stop it and start it again: surety down, surety up',
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
    remedy: 'Stop that program, or set api.port in surety.yaml (0 picks a free one).',
    blame: 'operator',
    retryable: true,
    status: 503,
  },
  KEEPER_UNREACHABLE: {
    message: 'The keeper does not answer: {reason}.',
    remedy: 'Start it again: surety up. What it looked after is found by its mark and taken over.',
    blame: 'environment',
    retryable: true,
    status: 503,
  },
  KEEPER_REQUEST_INVALID: {
    message: 'The keeper cannot do that: {reason}.',
    remedy: 'Compare the request with src/keeper/protocol.ts; if Surety sent it, report a bug.',
    blame: 'caller',
    retryable: false,
    status: 400,
  },
  KEEPER_FULL: {
    message: 'The keeper already looks after {limit} processes.',
    remedy: 'Close lanes that are no longer needed.',
    blame: 'caller',
    retryable: true,
    status: 503,
  },
  PROCESS_START_FAILED: {
    message: 'The process "{name}" could not be started: {reason}.',
    remedy: 'Check its command and directory, and its log: surety logs {name}',
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  CONFIG_INVALID: {
    message: '{path} has {count} mistake(s):\n{mistakes}',
    remedy: 'Correct the lines above. docs/configuration.md lists every key.',
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  CONFIG_UNREADABLE: {
    message: '{path} could not be read: {reason}.',
    remedy: 'Check the path and its permissions.',
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  SYSTEM_EMPTY: {
    message: '{path} names no services.',
    remedy: 'Describe the system under "services:". docs/configuration.md lists every key.',
    blame: 'operator',
    retryable: false,
    status: 409,
  },
  SERVICE_UNKNOWN: {
    message: 'There is no service "{service}" in this system.',
    remedy: 'These are there: {known}',
    blame: 'caller',
    retryable: false,
    status: 404,
  },
  SERVICE_UNHEALTHY: {
    message: '{service} did not become healthy: {reason}.',
    remedy: 'Read its log: surety logs {log}',
    blame: 'operator',
    retryable: false,
    status: 502,
  },
  GIT_FAILED: {
    message: 'git {command} failed: {reason}',
    remedy: 'Lanes and promotions need a git repository with at least one commit.',
    blame: 'operator',
    retryable: false,
    status: 500,
  },
  NEEDS_LINUX: {
    message: '{what} needs Linux; this is {platform}.',
    remedy: 'Run it on Linux or in a Linux VM. Gate, ledger and MCP work here.',
    blame: 'operator',
    retryable: false,
    status: 501,
  },
  USAGE: {
    message: '{reason}',
    remedy: 'See: {help}',
    blame: 'caller',
    retryable: false,
    status: 400,
  },
  INTERNAL: {
    message: 'Surety failed in a way that was not foreseen: {detail}',
    remedy: 'This is a bug. Please report it with the output of: surety doctor --json',
    blame: 'surety',
    retryable: false,
    status: 500,
  },
} as const satisfies Record<string, FaultDefinition>;

export type FaultCode = keyof typeof faults;
