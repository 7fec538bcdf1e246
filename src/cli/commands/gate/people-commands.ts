import type { Command } from '../../command.ts';

const authority = 'Say who may do what';

export const peopleCommands: readonly Command[] = [
  {
    name: 'people',
    group: authority,
    summary: 'Show who may call, in which roles, and where their tokens lie',
    arguments: [['[name]', 'only this person']],
    options: [['--token', 'show the token itself, to hand it over or to act as that person']],
    examples: ['surety people', 'SURETY_TOKEN=$(surety people alice --token) surety ledger tail'],
    load: () => import('./people.ts'),
  },
  {
    name: 'grant-keys list',
    group: authority,
    summary: 'Show the keys that grants for executors are signed with',
    examples: ['surety grant-keys list --json'],
    load: () => import('./grant-keys-list.ts'),
  },
  {
    name: 'grant-keys rotate',
    group: authority,
    summary: 'Sign with a new key; grants under way stay good until they end',
    examples: ['surety grant-keys rotate'],
    load: () => import('./grant-keys-rotate.ts'),
  },
  {
    name: 'grant-keys revoke',
    group: authority,
    summary: 'Make every grant of a key worthless at once',
    arguments: [['<kid>', 'as shown by grant-keys list']],
    examples: ['surety grant-keys revoke 5f2b…'],
    load: () => import('./grant-keys-revoke.ts'),
  },
];
