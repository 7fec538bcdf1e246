import type { Command } from './command.ts';
import { gateCommands } from './commands/gate/gate-commands.ts';
import { peopleCommands } from './commands/gate/people-commands.ts';
import { hookCommands } from './commands/hook/hook-commands.ts';
import { kubernetesCommands } from './commands/kubernetes/kubernetes-commands.ts';
import { laneCommands } from './commands/lane/lane-commands.ts';
import { policyCommands } from './commands/policy/policy-commands.ts';
import { probeCommands } from './commands/probe/probe-commands.ts';
import { lockCommands } from './commands/task/lock-commands.ts';
import { taskCommands } from './commands/task/task-commands.ts';
import { telemetryCommands } from './commands/telemetry/telemetry-commands.ts';
import { proveCommands } from './commands/verify/verify-commands.ts';

const runCommands: readonly Command[] = [
  {
    name: 'up',
    summary: 'Start the keeper and the daemon for this directory',
    examples: ['surety up', 'surety up --directory ~/shop'],
    load: async () => (await import('./commands/run/up.ts')).run,
  },
  {
    name: 'down',
    summary: 'Stop everything that Surety runs for this directory',
    examples: ['surety down'],
    load: async () => (await import('./commands/run/down.ts')).run,
  },
  {
    name: 'status',
    summary: 'Show what is running, and the end of the ledger',
    examples: ['surety status', 'surety status --json'],
    load: async () => (await import('./commands/run/status.ts')).run,
  },
  {
    name: 'service install',
    summary: 'Write a systemd unit or launchd agent that starts Surety with the machine',
    options: [['--print', 'show it and write nothing']],
    examples: ['surety service install', 'surety service install --print'],
    load: async () => (await import('./commands/run/service.ts')).install,
  },
  {
    name: 'doctor',
    summary: 'Check this machine and directory, and say what to do',
    examples: ['surety doctor', 'surety doctor --json'],
    load: async () => (await import('./commands/run/doctor.ts')).run,
  },
  {
    name: 'logs',
    summary: 'Show the logs of the daemon, the keeper or a process, or search the logs of services',
    arguments: [['[name]', 'whose log; without it, all logs are listed']],
    options: [
      ['-n, --lines <count>', 'how many of the last lines (default: 100)'],
      ['-f, --follow', 'show new lines until interrupted'],
      ['--service <name>', 'only lines of this service'],
      ['--lane <lane>', 'only lines of this lane; baseline for lines without a lane'],
      ['--trace <id>', 'only lines of this trace, from all services'],
      ['--severity <name>', 'only lines at least this severe: debug, info, warn, error or fatal'],
      ['--since <when>', 'a duration before now such as 10m, or a time'],
      ['--grep <text>', 'only lines that contain this text'],
    ],
    examples: [
      'surety logs',
      'surety logs daemon -n 20',
      'surety logs keeper --follow',
      'surety logs --service orders --severity warn --since 10m --follow',
    ],
    load: async () => (await import('./commands/run/logs.ts')).run,
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands in your shell',
    arguments: [['<shell>', 'bash, zsh or fish']],
    examples: ['eval "$(surety completion bash)"', 'surety completion fish | source'],
    load: async () => (await import('./commands/run/completion.ts')).printCompletionOf(commands),
  },
  {
    name: 'version',
    summary: 'Show the versions of Surety and of Node',
    examples: ['surety version --json'],
    load: async () => (await import('./commands/run/version.ts')).run,
  },
];

const systemCommands: readonly Command[] = [
  {
    name: 'init',
    summary: 'Write surety.yaml for this repository, and try it',
    options: [
      ['--no-try', 'do not build and start what was found'],
      ['--trial', 'briefly start programs whose port is not written anywhere, to find it'],
      ['--print', 'show it and write nothing'],
      ['--force', 'overwrite an existing surety.yaml'],
      ['--demo', 'put a small sample system into this empty folder'],
    ],
    examples: ['surety init', 'surety init --print', 'surety init --demo'],
    load: async () => (await import('./commands/init/init.ts')).run,
  },
  {
    name: 'system up',
    summary: 'Start the services of surety.yaml, and wait until they are healthy',
    options: [
      ['--overlay <name>', 'run the system with this overlay of surety.yaml'],
      ['--no-preload', 'start Node services as their users do; probes reach them, lanes do not'],
    ],
    examples: ['surety system up', 'surety system up --overlay prod-like'],
    needsLinux: true,
    load: async () => (await import('./commands/system/services.ts')).systemUp,
  },
  {
    name: 'system status',
    summary: 'Show the services: health, resources and versions',
    examples: ['surety system status --json'],
    load: async () => (await import('./commands/system/services.ts')).systemStatus,
  },
  {
    name: 'system data',
    summary: 'Show the datastores: lanes with their own data, and age and size of the templates',
    examples: ['surety system data --json'],
    load: async () => (await import('./commands/system/services.ts')).systemData,
  },
  {
    name: 'system logs',
    summary: 'Show the output of a service, without its secrets',
    arguments: [['<service>', 'its name in surety.yaml']],
    options: [
      ['-n, --lines <count>', 'how many of the last lines (default: 100)'],
      ['-f, --follow', 'show new lines until interrupted'],
    ],
    examples: ['surety system logs orders', 'surety system logs orders -n 20 --follow'],
    load: async () => (await import('./commands/system/services.ts')).systemLogs,
  },
  {
    name: 'system restart',
    summary: 'Restart the same version of a service',
    arguments: [['<service>', 'its name in surety.yaml']],
    examples: ['surety system restart pricing'],
    needsLinux: true,
    load: async () => (await import('./commands/system/services.ts')).systemRestart,
  },
  {
    name: 'system down',
    summary: 'Stop the services',
    examples: ['surety system down'],
    load: async () => (await import('./commands/system/services.ts')).systemDown,
  },
];

const connectCommands: readonly Command[] = [
  {
    name: 'mcp',
    summary: 'Serve Surety’s own tools to an agent, as MCP over stdio',
    options: [['--agent <name>', 'the agent: a name under agents in surety.yaml']],
    examples: ['surety mcp --agent coder', 'surety mcp add claude --agent coder'],
    load: async () => (await import('./commands/mcp/mcp.ts')).run,
  },
  {
    name: 'mcp add',
    summary: 'Add Surety to the configuration of Claude Code, Cursor, VS Code or Codex',
    arguments: [['<client>', 'claude, cursor, vscode or codex']],
    options: [
      ['--agent <name>', 'the agent: a name in the policy'],
      ['--gateway', 'add the tool servers behind the gateway instead of Surety’s own tools'],
      ['--name <name>', 'the name in the client (default: surety, or surety-gateway)'],
      ['--project', 'use the file of this directory'],
      ['--user', 'use the file of your home directory'],
      ['--print', 'only show the entry'],
      ['--yes', 'skip the question'],
    ],
    examples: [
      'surety mcp add claude --agent coder',
      'surety mcp add codex --agent coder --print',
      'surety mcp add vscode --agent coder --gateway --yes',
    ],
    load: async () => (await import('./commands/mcp/add.ts')).run,
  },
  {
    name: 'mcp gateway',
    summary: 'Serve the tool servers behind the gateway to an agent, as MCP over stdio',
    options: [['--agent <name>', 'the agent: a name in the policy']],
    examples: [
      'surety mcp gateway --agent coder',
      'claude mcp add tools -- surety mcp gateway --agent coder --directory ~/shop',
    ],
    load: async () => (await import('./commands/mcp/gateway.ts')).run,
  },
  {
    name: 'mcp tools',
    summary: 'Show the tools behind the gateway, and which are blocked because they changed',
    examples: ['surety mcp tools', 'surety mcp tools --json'],
    load: async () => (await import('./commands/mcp/tools.ts')).run,
  },
  {
    name: 'mcp accept',
    summary: 'Accept the changed definition of a tool, after reading it',
    arguments: [['<tool>', 'its name, from surety mcp tools']],
    options: [
      ['--hash <hash>', 'the hash of the definition that you saw; skips the question'],
      ['--yes', 'skip the question'],
    ],
    examples: ['surety mcp accept files.read_file', 'surety mcp accept search --yes'],
    load: async () => (await import('./commands/mcp/accept.ts')).run,
  },
];

const ledgerReadCommands: readonly Command[] = [
  {
    name: 'ledger tail',
    summary: 'Show the latest entries',
    options: [
      ['-n, --lines <count>', 'how many (default: 20)'],
      ['-f, --follow', 'show new entries until interrupted'],
    ],
    examples: [
      'surety ledger tail',
      'surety ledger tail -n 5 --follow',
      'surety ledger tail --json',
    ],
    load: async () => (await import('./commands/ledger/tail.ts')).run,
  },
  {
    name: 'ledger show',
    summary: 'Show one entry with its contents',
    arguments: [['<seq>', 'the number of the entry']],
    examples: ['surety ledger show 42'],
    load: async () => (await import('./commands/ledger/show.ts')).run,
  },
  {
    name: 'ledger verify',
    summary: 'Check that no entry was edited, dropped, moved or cut off',
    options: [
      ['--file <path>', 'verify an export instead of this ledger'],
      ['--key <path>', 'a public key (PEM) that you trust; needed with --file'],
      ['--expect <seq:hash>', 'an entry and its hash that you kept elsewhere'],
      ['--witness <path>', 'a file or git repository that surety ledger witness wrote to'],
      ['--ca <path>', 'certificates (PEM) of the time-stamp service, to check its time-stamps'],
    ],
    examples: [
      'surety ledger verify',
      'surety ledger verify --file ledger.jsonl --key surety.pub.pem',
      'surety ledger verify --expect 1200:9f86d081…',
      'surety ledger verify --witness /mnt/other/heads.jsonl --ca tsa.pem',
    ],
    load: async () => (await import('./commands/ledger/verify.ts')).run,
  },
  {
    name: 'ledger witness',
    summary: 'Give the last checkpoint to a witness outside, after comparing with what it has',
    options: [
      ['--file <path>', 'a file that gets a line, best on another machine'],
      [
        '--git <repository>',
        'a repository that gets a note on its HEAD (refs/notes/surety-ledger)',
      ],
      ['--tsa <url>', 'a time-stamp service (RFC 3161) that confirms the line in --file'],
      ['--ca <path>', 'certificates (PEM) of the time-stamp service'],
    ],
    examples: [
      'surety ledger witness --file /mnt/other/heads.jsonl',
      'surety ledger witness --git . && git push origin refs/notes/surety-ledger',
      'surety ledger witness --file heads.jsonl --tsa https://tsa.example/ --ca tsa.pem',
    ],
    load: async () => (await import('./commands/ledger/witness.ts')).run,
  },
  {
    name: 'ledger proof',
    summary: 'Prove that one head continues another, without showing the entries',
    options: [
      ['--from <seq:hash>', 'the earlier head, such as one that a witness has'],
      ['--to <seq:hash>', 'the later head'],
      ['--check <path>', 'check the lines of a proof; needs no ledger'],
    ],
    examples: [
      'surety ledger proof --from 1200:9f86d081… --to 3400:60303ae2… > proof.jsonl',
      'surety ledger proof --check proof.jsonl --from 1200:9f86d081… --to 3400:60303ae2…',
    ],
    load: async () => (await import('./commands/ledger/proof.ts')).run,
  },
  {
    name: 'ledger rebuild',
    summary: 'Compute all state from the chain again and compare it',
    examples: ['surety ledger rebuild'],
    load: async () => (await import('./commands/ledger/rebuild.ts')).run,
  },
  {
    name: 'ledger replay',
    summary: 'Repeat every recorded decision and compare it',
    examples: ['surety ledger replay'],
    load: async () => (await import('./commands/ledger/replay.ts')).run,
  },
];

const ledgerWriteCommands: readonly Command[] = [
  {
    name: 'ledger note',
    summary: 'Write a note into the ledger',
    arguments: [['<text>', 'the text of the note']],
    options: [
      ['--subject <subject>', 'who it is about (default: you)'],
      ['--key <key>', 'idempotency key: the same key writes once'],
    ],
    examples: ['surety ledger note "rolled back by hand, see INC-81" --key inc-81'],
    load: async () => (await import('./commands/ledger/note.ts')).run,
  },
  {
    name: 'ledger shred',
    summary: 'Destroy all contents about a subject; the chain stays intact',
    arguments: [['<subject>', 'a subject that surety ledger show lists']],
    options: [['--yes', 'destroy them; without this, only show what would be destroyed']],
    examples: ['surety ledger shred person:ada --yes'],
    load: async () => (await import('./commands/ledger/shred.ts')).run,
  },
  {
    name: 'ledger acknowledge',
    summary: 'Accept, as the owner, that signed history is lost; an entry records it',
    options: [
      ['--reason <text>', 'what happened'],
      ['--yes', 'write the entry; without this, only show what is lost'],
    ],
    examples: ['surety ledger acknowledge --yes --reason "disk failed, restored Sunday\'s backup"'],
    load: async () => (await import('./commands/ledger/acknowledge.ts')).run,
  },
  {
    name: 'ledger export',
    summary: 'Write the whole ledger as JSON Lines, with the public key beside it',
    options: [['--file <path>', 'the file to write (default: standard output)']],
    examples: ['surety ledger export --file ledger.jsonl'],
    load: async () => (await import('./commands/ledger/export.ts')).run,
  },
  {
    name: 'ledger import',
    summary: 'Fill an empty ledger from an export, after verifying it',
    arguments: [['<file>', 'an export']],
    options: [['--key <path>', 'the public key (PEM) of the exporter']],
    examples: ['surety ledger import ledger.jsonl --key ledger.pub.pem'],
    load: async () => (await import('./commands/ledger/import.ts')).run,
  },
];

/** Every command, under the task that it serves. */
export const commandGroups: Readonly<Record<string, readonly Command[]>> = {
  'Run Surety': runCommands,
  'Run the system': systemCommands,
  'Prove a change on the running system': [
    ...proveCommands,
    ...laneCommands,
    ...kubernetesCommands,
  ],
  'Open, split and finish tasks': taskCommands,
  'Let one agent at a time work on something': lockCommands,
  'Probe running services': probeCommands,
  'Query telemetry': telemetryCommands,
  'Connect agents': [...connectCommands, ...hookCommands],
  'Guard actions': [...gateCommands, ...policyCommands],
  'Manage people and keys': peopleCommands,
  'Read and check the ledger': ledgerReadCommands,
  'Write, export and shred the ledger': ledgerWriteCommands,
};

export const commands: readonly Command[] = Object.values(commandGroups).flat();
