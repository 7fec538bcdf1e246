import type { Command } from '../../command.ts';

export const peopleCommands: readonly Command[] = [
  {
    name: 'people',
    summary: 'Show people, their roles and the files of their tokens',
    arguments: [['[name]', 'only this person']],
    options: [['--token', 'show the token itself, to give it to the person or to act as them']],
    examples: ['surety people', 'SURETY_TOKEN=$(surety people alice --token) surety ledger tail'],
    load: async () => (await import('./people.ts')).run,
  },
  {
    name: 'token list',
    summary: 'Show the issued tokens: of whom, for which surface and until when',
    examples: ['surety token list'],
    load: async () => (await import('./tokens.ts')).listTokens,
  },
  {
    name: 'token issue',
    summary: 'Issue a token that expires and is valid for the API or for MCP only',
    arguments: [['<holder>', 'owner, person:<name> or agent:<name>']],
    options: [
      ['--surface <name>', 'where it is valid: mcp (default) or api'],
      ['--for <duration>', 'how long, such as 30m or 30d (default: 8h; at most 366d)'],
    ],
    examples: [
      'surety token issue agent:coder --for 30d',
      'surety token issue owner --surface api',
    ],
    load: async () => (await import('./tokens.ts')).issueToken,
  },
  {
    name: 'token rotate',
    summary: 'Replace the token in the file of its holder; copies of it become invalid',
    arguments: [['[holder]', 'owner (default), person:<name> or agent:<name>']],
    examples: ['surety token rotate', 'surety token rotate agent:coder'],
    load: async () => (await import('./tokens.ts')).rotateToken,
  },
  {
    name: 'token revoke',
    summary: 'Make an issued token invalid at once',
    arguments: [['<id>', 'the id that surety token list shows']],
    examples: ['surety token revoke tok_01K9…'],
    load: async () => (await import('./tokens.ts')).revokeToken,
  },
  {
    name: 'grant-keys list',
    summary: 'Show the keys that sign grants',
    examples: ['surety grant-keys list --json'],
    load: async () => (await import('./grant-keys.ts')).listGrantKeys,
  },
  {
    name: 'grant-keys rotate',
    summary: 'Sign with a new key; issued grants stay valid until they expire',
    examples: ['surety grant-keys rotate'],
    load: async () => (await import('./grant-keys.ts')).rotateGrantKeys,
  },
  {
    name: 'grant-keys revoke',
    summary: 'Invalidate every grant of a key at once',
    arguments: [['<kid>', 'the id that surety grant-keys list shows']],
    examples: ['surety grant-keys revoke 5f2b…'],
    load: async () => (await import('./grant-keys.ts')).revokeGrantKey,
  },
];
