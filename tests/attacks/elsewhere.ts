import type { AttemptElsewhere } from './attempt.ts';
import { attemptsByCodeElsewhere } from './elsewhere-code.ts';
import { madeIn } from './made-in.ts';

const change = 'src/lanes/change/change.test.ts';
const history = 'src/ledger/history/history.contract.ts';
const impostor = 'tests/impostor.test.ts';
const guarded = 'CHANGE_PROTECTED';

export const attemptsElsewhere: readonly AttemptElsewhere[] = [
  ...madeIn('another local user', impostor, [
    [
      'listens on the port of a dead daemon for the token of a command',
      'no token',
      'surety status',
    ],
    ['listens there for the token of the doctor', 'no token', 'surety doctor'],
    [
      'listens there for the token of an MCP server',
      'no token',
      'the MCP server on standard input',
    ],
    ['listens there for the token of the bridge', 'no token', 'the MCP bridge to the gateway'],
    ['listens there for the token of a guarded function', 'no token', 'a guarded function'],
    [
      'listens there for the token of a client that knows only the address',
      'no token',
      'a client that knows only the address',
    ],
    ['listens there for the token of the Python client', 'no token', 'the Python client'],
    [
      'passes on the proof of a daemon at another port',
      'DAEMON_UNPROVEN',
      'a client, when it gets its proof from the daemon at another port',
    ],
  ]),
  ...madeIn('another local user', 'src/runtime/notices/notify.test.ts', [
    [
      'answers a notice with a redirect to another address',
      'not followed',
      'do not follow a webhook that leads elsewhere',
      'notification-failed',
    ],
  ]),
  ...madeIn('another local user', 'src/router/hostile.test.ts', [
    [
      'leaves half-closed connections to the router behind',
      'closed',
      'a client that sends no more gets the end of its connection',
    ],
  ]),
  ...madeIn('another local user', 'tests/ledger-faults.test.ts', [
    [
      'has the daemon use a signing key that others may read',
      'FILE_NOT_PRIVATE',
      'a signing key that is invalid or readable by others is refused',
    ],
  ]),
  ...madeIn('an agent', change, [
    [
      'proposes a patch that leaves the repository by ..',
      'CHANGE_DOES_NOT_APPLY',
      'leaves the repository',
    ],
    [
      'proposes a patch with an absolute path',
      'CHANGE_INVALID',
      'leaves the repository by an absolute path',
    ],
    ['proposes a patch of .git', 'CHANGE_INVALID', 'writes into .git'],
    ['proposes a patch of .GIT', 'CHANGE_INVALID', 'writes into .GIT of a subfolder'],
    ['proposes a symbolic link', 'CHANGE_INVALID', 'creates a symbolic link'],
    ['proposes a submodule', 'CHANGE_INVALID', 'creates a submodule'],
    [
      'writes through a symbolic link of the same patch',
      'CHANGE_INVALID',
      'writes through a symbolic link that it creates',
    ],
    ['changes the policy by a patch', guarded, 'the policy'],
    ['changes a file that the policy includes', guarded, 'a file that the policy includes'],
    ['gives itself permissions by a patch', guarded, 'the permissions of agents'],
    ['gives a service the secrets of another one', guarded, 'the secrets of a service'],
    ['gives a service secrets in an overlay', guarded, 'secrets in an overlay'],
    ['deletes surety.yaml', guarded, 'a deleted surety.yaml'],
    ['skips a test', guarded, 'a test that it skips'],
    [
      'reads a secret into a plain variable',
      'CONFIG_INVALID',
      "cannot read a service's secret into a plain variable",
    ],
    ['brings git hooks along', 'not run', 'runs none of the git hooks that it contains'],
    [
      'names a branch that git reads as an option',
      'CHANGE_INVALID',
      'a branch name that looks like an option',
    ],
  ]),
  ...madeIn('an agent', 'tests/loop-limits.test.ts', [
    [
      'repeats a denied call forever',
      '403 PROPOSAL_DENIED',
      'an identical call stays denied however often the agent repeats it',
      'proposal-denied',
    ],
    [
      'opens a task for each repetition',
      '403 PROPOSAL_DENIED',
      'a fresh task for each call does not evade the limit',
      'proposal-denied',
    ],
    [
      'writes the same call differently',
      '403 PROPOSAL_DENIED',
      'white space, the order of arguments and given defaults do not evade the limit',
      'proposal-denied',
    ],
  ]),
  ...madeIn('an agent', 'src/gate/evasion.test.ts', [
    [
      'forges its history by the name of a tool',
      '403 PROPOSAL_DENIED',
      "cannot be forged with a tool's name or written by another agent",
      'proposal-denied',
    ],
    [
      'reports evidence itself',
      '403 PROPOSAL_DENIED',
      'counts as evidence only if the runtime observed it',
      'proposal-denied',
    ],
    [
      'learns an outcome through the key of another agent',
      '403 PROPOSAL_DENIED',
      'reveals no outcome through a key that the caller could not have used',
    ],
  ]),
  ...madeIn('an agent', 'src/gate/expression/hostile.test.ts', [
    ['uses names of Object.prototype in an expression', 'plain keys', '__proto__'],
    [
      'sends a text that makes a pattern backtrack',
      'linear time',
      '%s matches 29 characters without backtracking',
    ],
    [
      'loops over large lists in an expression',
      'stopped',
      'stops nested loops over large lists even if every item fails',
    ],
    [
      'has an expression allocate memory',
      'stopped',
      'bounds the memory that an expression allocates',
    ],
  ]),
  ...madeIn('an agent', 'src/gate/language/mistakes.test.ts', [
    ['brings a policy with YAML aliases', 'POLICY_INVALID', 'an alias'],
    ['brings a policy with the same key twice', 'POLICY_INVALID', 'a key given twice'],
  ]),
  ...madeIn('an agent', 'src/document/document-text.test.ts', [
    [
      'brings YAML with a key that reaches a prototype',
      'CONFIG_INVALID',
      'with a key that reaches a prototype',
    ],
    [
      'brings YAML that is nested too deep',
      'CONFIG_INVALID',
      'with so many levels that the parser gives up',
    ],
  ]),
  ...madeIn('an agent', 'src/telemetry/query/hostile.test.ts', [
    [
      'leaves the views of telemetry by one of 114 SQL statements',
      'QUERY_REFUSED',
      'hostile statements changed and wrote nothing',
    ],
    [
      'leaves the views of telemetry by SQL made of hostile pieces',
      'QUERY_REFUSED',
      'no query made of hostile pieces reveals a secret',
    ],
  ]),
  ...madeIn('an agent', 'tests/mcp-gateway-approvals.test.ts', [
    [
      'uses the state of a held call for other arguments or another agent',
      'no approval',
      'is valid once, for this call of this agent only',
    ],
    [
      'answers a question that nobody asked',
      'no approval',
      'does not let unrequested answers approve anything',
    ],
  ]),
  ...madeIn('a tool server', 'tests/mcp-gateway-pins.test.ts', [
    [
      'changes the definition of a tool that was accepted',
      'TOOL_BLOCKED',
      'that changes is blocked until a person accepts exactly that definition',
      'tool-changed',
    ],
    [
      'offers a tool with the name of one that the daemon runs',
      'not listed',
      'hides the tool of the same name of a server',
    ],
  ]),
  ...madeIn('a tool server', 'tests/mcp-gateway-protocol.test.ts', [
    [
      'asks a client about the call of another client',
      'nobody is asked',
      'whose server asks while another call is in progress there reaches nobody',
    ],
  ]),
  ...madeIn('an agent', 'src/telemetry/prometheus/narrow-promql.test.ts', [
    ['names the lane of another in PromQL', 'only its own lanes', 'up{lane="lane_b"}'],
    ['selects all series in PromQL', 'only its own lanes', '{__name__=~".+"}'],
    [
      'removes the label of the lane in PromQL',
      'only its own lanes',
      'label_replace(up, "lane", "", "lane", ".*")',
    ],
    ['adds series behind a comment in PromQL', 'PROMETHEUS_NOT_NARROWED', 'vector(0) #\\r or up'],
    [
      'joins series of others with info() in PromQL',
      'PROMETHEUS_NOT_NARROWED',
      'info(up, {a="b"})',
    ],
  ]),
  ...attemptsByCodeElsewhere,
  ...madeIn('a sender of telemetry', 'src/telemetry/otlp/senders.test.ts', [
    [
      'reports for an instance without proof',
      'stored as unproven',
      'a sender that proves nothing cannot report for an instance of the system',
    ],
    [
      'reports for another instance with its own proof',
      'stored as its own',
      'a proven sender reports for its own instance only, whatever it says',
    ],
    [
      'sends the proof of another message',
      '401',
      'a wrong proof is refused: of another sender, another message or another secret',
    ],
    [
      'sends a signed message again',
      'stored once',
      'a signed message that is sent again is answered, and stored once',
    ],
  ]),
  ...madeIn('a sender of telemetry', 'tests/telemetry-process.test.ts', [
    [
      'reports errors to have a promotion taken back',
      'not counted',
      'a stranger that reports errors of a service is not counted by the promotion watch',
    ],
    [
      'sends control requests to the port of telemetry',
      '404',
      'telemetry accepts control requests only on its socket, which is private',
    ],
  ]),
  ...madeIn('a sender of telemetry', 'src/telemetry/otlp/hostile.test.ts', [
    ['sends a number without end', 'refused', 'a number without end'],
    ['sends a million events in one span', 'bounded', 'a million events'],
    [
      'sends keys of Object.prototype',
      'plain keys',
      'a map whose keys are names of Object.prototype',
    ],
  ]),
  ...madeIn('a writer of the database', history, [
    ['truncates the chain', 'truncated', 'a truncated chain'],
    ['restores an older state', 'rolled-back', 'a chain rolled back to an earlier state'],
    ['empties the chain', 'rolled-back', 'an emptied chain'],
    ['hashes the chain again', 'rewritten', 'a chain hashed again'],
    ['empties the checkpoints', 'checkpoint-missing', 'emptied checkpoints'],
    ['edits an entry', 'edited', 'an edited entry'],
    [
      'damages the signed head',
      'LEDGER_DIVERGED',
      'a damaged file of the signed head keeps the ledger closed',
    ],
    [
      'appends an acknowledgement of its own',
      'rolled-back',
      'an acknowledgement that no daemon has signed counts for nothing',
    ],
  ]),
  ...madeIn('a writer of the database', 'tests/ledger-faults.test.ts', [
    ['puts an older copy in the place of the database', 'LEDGER_DIVERGED', 'an older copy'],
    ['removes the database', 'LEDGER_DIVERGED', 'no database at all'],
  ]),
  ...madeIn('a writer of the database', 'tests/ledger-witness.test.ts', [
    [
      'makes the whole history anew, with the signing key, before a witness is asked',
      'rewritten',
      '%s outside exposes a history that was made anew with the same key',
    ],
    [
      'gives another statement the time-stamp of the first',
      'WITNESS_UNUSABLE',
      'a time-stamp service confirms a statement, and no other',
    ],
  ]),
];
