import type { Command } from '../../command.ts';

const names = 'claude, codex, cursor, gemini or opencode';

export const hookCommands: readonly Command[] = [
  {
    name: 'hook',
    summary: 'Decide about a tool call of a coding agent; its harness runs this as a hook',
    options: [
      ['--harness <name>', names],
      ['--agent <name>', 'the agent: a name in the policy'],
      ['--fail-open', 'let calls through while no daemon answers'],
    ],
    examples: [
      'surety hook add claude --agent coder',
      'surety hook --harness claude --agent coder < call.json',
    ],
    load: async () => (await import('./hook.ts')).run,
  },
  {
    name: 'exec',
    summary: 'Run a command in the confinement of lanes',
    arguments: [['<command...>', 'a program with its arguments, or one text for a shell']],
    examples: ['surety exec -- npm test', "surety exec -- 'npm ci && npm test'"],
    needsLinux: true,
    load: async () => (await import('../lane/exec.ts')).runConfined,
  },
  {
    name: 'hook add',
    summary: 'Add the hook to Claude Code, Codex, Cursor, Gemini CLI or opencode',
    arguments: [['<harness>', names]],
    options: [
      ['--agent <name>', 'the agent: a name in the policy'],
      ['--fail-open', 'let calls through while no daemon answers'],
      ['--yes', 'skip the question'],
    ],
    examples: ['surety hook add claude --agent coder', 'surety hook add codex --agent coder --yes'],
    load: async () => (await import('./configure.ts')).add,
  },
  {
    name: 'hook remove',
    summary: 'Remove the hook from a harness, and restore its file',
    arguments: [['<harness>', names]],
    options: [['--yes', 'skip the question']],
    examples: ['surety hook remove claude'],
    load: async () => (await import('./configure.ts')).remove,
  },
  {
    name: 'hook status',
    summary: 'Show which harnesses have the hook',
    arguments: [['[harness]', names]],
    examples: ['surety hook status', 'surety hook status claude --json'],
    load: async () => (await import('./configure.ts')).status,
  },
];
