import type { Command } from './command.ts';

const run = 'Run Surety';
const system = 'Run the system';
const look = 'Look into the ledger';
const keep = 'Keep the ledger';

export const commands: readonly Command[] = [
  {
    name: 'up',
    group: run,
    summary: 'Start keeper and daemon for this directory',
    examples: ['surety up', 'surety up --directory ~/shop'],
    load: () => import('./up.ts'),
  },
  {
    name: 'down',
    group: run,
    summary: 'Stop everything that Surety runs for this directory',
    examples: ['surety down'],
    load: () => import('./down.ts'),
  },
  {
    name: 'status',
    group: run,
    summary: 'Show what is running, and where the ledger ends',
    examples: ['surety status', 'surety status --json'],
    load: () => import('./status.ts'),
  },
  {
    name: 'doctor',
    group: run,
    summary: 'Check this machine and this directory, and say what to do',
    examples: ['surety doctor', 'surety doctor --json'],
    load: () => import('./doctor.ts'),
  },
  {
    name: 'logs',
    group: run,
    summary: 'Show the logs of the daemon, the keeper or a process',
    arguments: [['[name]', 'whose log; all that there are if left out']],
    options: [
      ['-n, --lines <count>', 'how many of the last lines (100)'],
      ['-f, --follow', 'go on with new lines until interrupted'],
    ],
    examples: ['surety logs', 'surety logs daemon -n 20', 'surety logs keeper --follow'],
    load: () => import('./logs.ts'),
  },
  {
    name: 'version',
    group: run,
    summary: 'Show the versions of Surety and of Node',
    examples: ['surety version --json'],
    load: () => import('./version.ts'),
  },
  {
    name: 'system up',
    group: system,
    summary: 'Start the services of surety.yaml, and wait until they are healthy',
    examples: ['surety system up'],
    load: () => import('./system-up.ts'),
  },
  {
    name: 'system status',
    group: system,
    summary: 'Show the services, their processes and versions',
    examples: ['surety system status --json'],
    load: () => import('./system-status.ts'),
  },
  {
    name: 'system restart',
    group: system,
    summary: 'Start the same version of a service again',
    arguments: [['<service>', 'its name in surety.yaml']],
    examples: ['surety system restart pricing'],
    load: () => import('./system-restart.ts'),
  },
  {
    name: 'system down',
    group: system,
    summary: 'Stop the services',
    examples: ['surety system down'],
    load: () => import('./system-down.ts'),
  },
  {
    name: 'ledger tail',
    group: look,
    summary: 'Show the last entries',
    options: [
      ['-n, --lines <count>', 'how many (20)'],
      ['-f, --follow', 'go on with new entries until interrupted'],
    ],
    examples: [
      'surety ledger tail',
      'surety ledger tail -n 5 --follow',
      'surety ledger tail --json',
    ],
    load: () => import('./ledger-tail.ts'),
  },
  {
    name: 'ledger show',
    group: look,
    summary: 'Show one entry with the contents beside it',
    arguments: [['<seq>', 'the number of the entry']],
    examples: ['surety ledger show 42'],
    load: () => import('./ledger-show.ts'),
  },
  {
    name: 'ledger verify',
    group: look,
    summary: 'Check that no entry was edited, dropped, moved or cut off',
    options: [
      ['--file <path>', 'verify an export instead of this ledger'],
      ['--key <path>', 'a public key (PEM) that you trust; needed with --file'],
      ['--expect <seq:hash>', 'an entry and hash that you kept elsewhere'],
    ],
    examples: [
      'surety ledger verify',
      'surety ledger verify --file ledger.jsonl --key surety.pub.pem',
      'surety ledger verify --expect 1200:9f86d081…',
    ],
    load: () => import('./ledger-verify.ts'),
  },
  {
    name: 'ledger rebuild',
    group: look,
    summary: 'Compute all state again from the chain and compare it',
    examples: ['surety ledger rebuild'],
    load: () => import('./ledger-rebuild.ts'),
  },
  {
    name: 'ledger note',
    group: keep,
    summary: 'Leave a remark in the ledger',
    arguments: [['<text>', 'what to remember']],
    options: [
      ['--subject <subject>', 'whom it is about (you)'],
      ['--key <key>', 'idempotency key: the same key writes once'],
    ],
    examples: ['surety ledger note "rolled back by hand, see INC-81" --key inc-81'],
    load: () => import('./ledger-note.ts'),
  },
  {
    name: 'ledger shred',
    group: keep,
    summary: 'Destroy all contents about a subject; the chain stays whole',
    arguments: [['<subject>', 'as shown by ledger show']],
    options: [['--yes', 'do it; without this you only see what would be destroyed']],
    examples: ['surety ledger shred person:ada --yes'],
    load: () => import('./ledger-shred.ts'),
  },
  {
    name: 'ledger export',
    group: keep,
    summary: 'Write the whole ledger as JSON Lines, with the public key beside it',
    options: [['--file <path>', 'where to; standard output if left out']],
    examples: ['surety ledger export --file ledger.jsonl'],
    load: () => import('./ledger-export.ts'),
  },
  {
    name: 'ledger import',
    group: keep,
    summary: 'Fill an empty ledger from an export, after verifying it',
    arguments: [['<file>', 'an export']],
    options: [['--key <path>', 'the public key (PEM) of whoever exported it']],
    examples: ['surety ledger import ledger.jsonl --key ledger.pub.pem'],
    load: () => import('./ledger-import.ts'),
  },
];
