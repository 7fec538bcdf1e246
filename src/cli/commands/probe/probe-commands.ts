import type { Command } from '../../command.ts';

const probe = ['<probe>', 'its id'] as const;
const place = ['<place>', 'file:line, or file#function; a path in the repository'] as const;

const allowProduction = [
  '--allow-production',
  'consent to a probe in production; needs the role operator',
] as const;

const placement = [
  ['--service <name>', 'all instances of this service (default: the one that the path names)'],
  ['--pid <pid>', 'instead of a service: this process, or the Node process below npm or a shell'],
  ['--lane <lane>', 'the candidate of the service in this lane'],
  ['--log <template>', "a text with expressions: 'amount={amount} type={typeof amount}'"],
  ['--snapshot', 'local variables, arguments, closure and stack (the default)'],
  ['--read <expressions>', 'for a snapshot or an exception: only these, separated by commas'],
  ['--counter', 'how often the line is reached'],
  ['--metric <expression>', 'the distribution of a number'],
  ['--types <expression>', 'which types and shapes an expression has'],
  ['--by <expression>', 'with --types: grouped by this'],
  ['--duration', 'how long the function takes'],
  ['--to <line>', 'with --duration: from the line of the place to this one'],
  ['--branch', 'which way the if, switch or ?: on the line goes'],
  ['--exception', 'exceptions that pass through the function; pauses for about 2 ms each'],
  ['--if <expression>', 'only hits for which this is truthy'],
  ['--sample <share>', 'the share of hits that is read, from 0 to 1'],
  ['--hits <count>', 'end after so many (default: 1000)'],
  ['--for <duration>', 'end after this time, such as 5m (default: 10m)'],
  ['--reason <text>', 'why; recorded in the ledger'],
  ['--allow-stall', 'attach even if the predicted stall is above the limit'],
  allowProduction,
] as const;

export const probeCommands: readonly Command[] = [
  {
    name: 'probe add',
    summary: 'Place a read-only probe in a running service, without a restart',
    arguments: [place],
    options: placement,
    examples: [
      "surety probe add orders/src/validate.ts:42 --log 'amount={amount} type={typeof amount}' --for 5m",
      "surety probe add orders/src/validate.ts#validate --duration --if 'order.amount > 10000'",
      'surety probe add server.js:80 --pid 4711 --types body.amount',
    ],
    needsLinux: true,
    load: async () => (await import('./add.ts')).add,
  },
  {
    name: 'probe check',
    summary: 'Say where a probe would be and what it would cost, without placing it',
    arguments: [place],
    options: placement,
    examples: ["surety probe check orders/src/validate.ts:42 --log 'amount={amount}'"],
    needsLinux: true,
    load: async () => (await import('./add.ts')).check,
  },
  {
    name: 'probe context',
    summary: 'Observe lines of running code: types, branches, callers, answers and durations',
    arguments: [['<lines>', 'file:first-last, or file:line; a path in the repository']],
    options: [
      ['--service <name>', 'this service (default: the one that the path names)'],
      ['--pid <pid>', 'instead of a service: this process'],
      ['--lane <lane>', 'the candidate of the service in this lane'],
      ['--for <duration>', 'observe for this time, such as 10s (default: 5s)'],
      ['--reason <text>', 'why; recorded in the ledger'],
      allowProduction,
    ],
    examples: ['surety probe context orders/src/validate.ts:30-60 --for 10s'],
    needsLinux: true,
    load: async () => (await import('./context.ts')).context,
  },
  {
    name: 'probe list',
    summary: 'Show the probes that are placed',
    examples: ['surety probe list --json'],
    load: async () => (await import('./manage-probes.ts')).list,
  },
  {
    name: 'probe show',
    summary: 'Show what a probe has captured, also after its end',
    arguments: [probe],
    options: [['-n, --lines <count>', 'how many of the last captures (default: 20)']],
    examples: ['surety probe show probe_…', 'surety probe show probe_… --json'],
    load: async () => (await import('./manage-probes.ts')).show,
  },
  {
    name: 'probe tail',
    summary: 'Show captures as they come, until the probe ends',
    arguments: [probe],
    examples: ['surety probe tail probe_…'],
    load: async () => (await import('./manage-probes.ts')).tail,
  },
  {
    name: 'probe remove',
    summary: 'Remove a probe, and say what is left in its process',
    arguments: [probe],
    examples: ['surety probe remove probe_…'],
    load: async () => (await import('./manage-probes.ts')).remove,
  },
  {
    name: 'probe export',
    summary:
      'Write captures and certificate of an ended probe, or a signed bundle that proves them',
    arguments: [probe],
    options: [['--bundle', 'with ledger entries up to a signed checkpoint']],
    examples: [
      'surety probe export probe_… > probe.json',
      'surety probe export probe_… --bundle > evidence.json',
    ],
    load: async () => (await import('./manage-probes.ts')).exportProbe,
  },
  {
    name: 'probe verify-bundle',
    summary: 'Check a bundle of probe export, without a daemon or a ledger',
    arguments: [['<file>', 'what surety probe export --bundle wrote']],
    options: [
      ['--key <file>', 'the public key of whoever made it (default: that of this directory)'],
    ],
    examples: ['surety probe verify-bundle evidence.json --key their-key.pem'],
    load: async () => (await import('./bundle.ts')).verifyBundle,
  },
  {
    name: 'probe off',
    summary: 'Remove all probes, and refuse new ones',
    examples: ['surety probe off'],
    load: async () => (await import('./manage-probes.ts')).turnOff,
  },
  {
    name: 'probe on',
    summary: 'Allow probes again',
    examples: ['surety probe on'],
    load: async () => (await import('./manage-probes.ts')).turnOn,
  },
];
