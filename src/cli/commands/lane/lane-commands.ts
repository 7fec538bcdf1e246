import type { Command } from '../../command.ts';

const group = 'Prove a change on the running system';
const lane = ['<lane>', 'its id'] as const;
const patch = ['[patch]', 'a unified diff; - for standard input'] as const;
/** Where a change may come from besides a patch. */
export const changeSources = [
  ['--ref <name>', 'instead of a patch: what was done on this branch or commit'],
  ['--worktree', 'instead of a patch: what is in your checkout now, new files included'],
  ['--base <commit>', 'the version it is made for (the running one)'],
] as const;

export const laneCommands: readonly Command[] = [
  {
    name: 'lane open',
    group,
    summary: 'Start the services that a change touches, reached by its own requests only',
    arguments: [[patch[0], `${patch[1]}; none for a lane on the baseline`]],
    options: [
      ...changeSources,
      ['--minutes <count>', 'how long it lives (lanes.ttlMinutes of surety.yaml)'],
      ['--services <names>', 'copies of these services, as they are; separated by commas'],
      ['--on <lane>', 'on top of another lane: its change, and yours on it'],
      ['--isolated', 'copies of those that call a changed service, and that it calls, too'],
      ['--control', 'a second lane with the old version of the same services'],
      ['--data <modes>', 'store=branch or store=empty, separated by commas; the rest is shared'],
    ],
    examples: [
      'surety lane open change.patch',
      'surety lane open --worktree --minutes 5',
      'surety lane open --ref feature/limits --control --data orders-db=branch',
    ],
    needsLinux: true,
    load: () => import('./open.ts'),
  },
  {
    name: 'lane list',
    group,
    summary: 'Show the lanes that are open',
    examples: ['surety lane list --json'],
    load: () => import('./list.ts'),
  },
  {
    name: 'lane show',
    group,
    summary: 'Show one lane: what runs in it, until when, and how to reach it',
    arguments: [lane],
    examples: ['surety lane show lane_01K9…'],
    load: () => import('./show.ts'),
  },
  {
    name: 'lane extend',
    group,
    summary: 'Let a lane live longer, up to lanes.ttlMinutesMax after its opening',
    arguments: [lane],
    options: [['--minutes <count>', 'from now (30)']],
    examples: ['surety lane extend lane_01K9… --minutes 60'],
    load: () => import('./extend.ts'),
  },
  {
    name: 'lane curl',
    group,
    summary: 'Send one request through a lane',
    arguments: [lane, ['<path>', 'what to ask the ingress for']],
    options: [
      ['-X, --method <method>', 'GET unless told'],
      ['-d, --data <text>', 'a body; makes it a POST'],
      ['-H, --header <line>', 'one header, "name: value"'],
    ],
    examples: ['surety lane curl lane_01K9… /orders/7 -H "authorization: Bearer trader-token"'],
    load: () => import('./curl.ts'),
  },
  {
    name: 'lane exec',
    group,
    summary: 'Run a command that finds the lane in BASE_URL, HEADERS and SURETY_LANE',
    arguments: [lane, ['<command>', 'as for a shell, in quotes']],
    examples: ['surety lane exec lane_01K9… "node suites/trade-flow.ts"'],
    load: () => import('./exec.ts'),
  },
  {
    name: 'lane logs',
    group,
    summary: 'Show what the candidates of a lane wrote',
    arguments: [lane, ['[service]', 'only of this one']],
    options: [['-n, --lines <count>', 'how many of the last lines of each (100)']],
    examples: ['surety lane logs lane_01K9… pricing -n 20'],
    load: () => import('./logs.ts'),
  },
  {
    name: 'lane reach',
    group,
    summary: "Draw the paths of a lane's requests, and say where its key was lost",
    arguments: [lane],
    examples: ['surety lane reach lane_01K9…'],
    load: () => import('./reach.ts'),
  },
  {
    name: 'lane close',
    group,
    summary: 'End everything of a lane, and of those that stand on it',
    arguments: [lane],
    examples: ['surety lane close lane_01K9…'],
    load: () => import('./close.ts'),
  },
  {
    name: 'change override',
    group,
    summary: 'Let exactly this change touch what is protected',
    arguments: [patch],
    options: [...changeSources, ['--reason <text>', 'why; goes into the ledger']],
    examples: ['surety change override ci.patch --reason "new runner, see OPS-12"'],
    load: () => import('../verify/change-override.ts'),
  },
];
