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
