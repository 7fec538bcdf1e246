import type { Command } from '../../command.ts';

const lane = ['<lane>', 'its id, or last'] as const;
const patch = ['[patch]', 'a unified diff; - for standard input'] as const;
/** The sources of a change other than a patch. */
export const changeSources = [
  ['--ref <name>', 'instead of a patch: this branch or commit'],
  ['--worktree', 'instead of a patch: your checkout as it is, new files included'],
  ['--base <commit>', 'the version that it is based on (default: the baseline)'],
] as const;

/** Whether a lane has copies of the unchanged services on the way to a changed one. */
export const callersOption = [
  '--callers <mode>',
  'unchanged callers of the change: shared, own copies, or auto (default: callers in surety.yaml)',
] as const;

export const laneCommands: readonly Command[] = [
  {
    name: 'lane open',
    summary: 'Start the services that a change touches; only the lane’s requests reach them',
    arguments: [[patch[0], `${patch[1]}; none for a lane on the baseline`]],
    options: [
      ...changeSources,
      ['--minutes <count>', 'its lifetime (default: lanes.ttlMinutes in surety.yaml)'],
      ['--services <names>', 'unchanged copies of these services; separated by commas'],
      ['--on <lane>', 'on top of another lane and its change'],
      ['--isolated', 'also copies of the callers and callees of changed services'],
      callersOption,
      ['--control', 'also a second lane with the old version of the same services'],
      [
        '--data <modes>',
        'store=branch or store=empty, separated by commas; other stores are shared',
      ],
    ],
    examples: [
      'surety lane open change.patch',
      'surety lane open --worktree --minutes 5',
      'surety lane open --ref feature/limits --control --data orders-db=branch',
    ],
    needsLinux: true,
    load: async () => (await import('./open.ts')).run,
  },
  {
    name: 'watch',
    summary: 'Keep a lane open for your checkout; each edit opens a new one',
    options: [['--once', 'open one lane, leave it open and end']],
    examples: ['surety watch', 'surety lane curl last /orders/7'],
    needsLinux: true,
    load: async () => (await import('./watch.ts')).run,
  },
  {
    name: 'lane check',
    summary: 'Find out which services lose the key of a lane, and how to fix them',
    options: [['--suite <name>', 'only this suite (default: all)']],
    examples: ['surety lane check', 'surety lane check --suite trade-flow --json'],
    needsLinux: true,
    load: async () => (await import('./check.ts')).run,
  },
  {
    name: 'lane list',
    summary: 'Show the open lanes',
    examples: ['surety lane list --json'],
    load: async () => (await import('./manage-lanes.ts')).listLanes,
  },
  {
    name: 'lane show',
    summary: 'Show one lane: its services, its end, and how to reach it',
    arguments: [lane],
    examples: ['surety lane show lane_01K9…'],
    load: async () => (await import('./manage-lanes.ts')).showLane,
  },
  {
    name: 'lane extend',
    summary: 'Extend a lane, up to lanes.ttlMinutesMax after its opening',
    arguments: [lane],
    options: [['--minutes <count>', 'from now (default: 30)']],
    examples: ['surety lane extend lane_01K9… --minutes 60'],
    load: async () => (await import('./manage-lanes.ts')).extendLane,
  },
  {
    name: 'lane curl',
    summary: 'Send one request through a lane',
    arguments: [lane, ['<path>', 'the path to request at the ingress']],
    options: [
      ['-X, --method <method>', 'default: GET'],
      ['-d, --data <text>', 'a body; makes the request a POST'],
      ['-H, --header <line>', 'one header, "name: value"'],
    ],
    examples: ['surety lane curl lane_01K9… /orders/7 -H "authorization: Bearer trader-token"'],
    load: async () => (await import('./curl.ts')).run,
  },
  {
    name: 'lane exec',
    summary: 'Run a command with the lane in BASE_URL, HEADERS and SURETY_LANE',
    arguments: [lane, ['<command>', 'a shell command, in quotes']],
    examples: ['surety lane exec lane_01K9… "node suites/trade-flow.ts"'],
    load: async () => (await import('./exec.ts')).run,
  },
  {
    name: 'lane logs',
    summary: 'Show the output of a lane’s candidates',
    arguments: [lane, ['[service]', 'only this service']],
    options: [['-n, --lines <count>', 'how many of the last lines of each (default: 100)']],
    examples: ['surety lane logs lane_01K9… pricing -n 20'],
    load: async () => (await import('./logs.ts')).run,
  },
  {
    name: 'lane reach',
    summary: "Show the paths of a lane's requests, and where its key was lost",
    arguments: [lane],
    examples: ['surety lane reach lane_01K9…'],
    load: async () => (await import('./reach.ts')).run,
  },
  {
    name: 'lane close',
    summary: 'Close a lane, and lanes on top of it',
    arguments: [lane],
    examples: ['surety lane close lane_01K9…'],
    load: async () => (await import('./manage-lanes.ts')).closeLane,
  },
  {
    name: 'change override',
    summary: 'Allow exactly this change to touch protected files',
    arguments: [patch],
    options: [...changeSources, ['--reason <text>', 'why; recorded in the ledger']],
    examples: ['surety change override ci.patch --reason "new runner, see OPS-12"'],
    load: async () => (await import('../verify/change-override.ts')).run,
  },
];
