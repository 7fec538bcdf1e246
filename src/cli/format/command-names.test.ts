import { expect, test } from 'vitest';
import { commands } from '../commands.ts';
import { nameCommands } from './command-names.ts';

test.each(['task.open', 'test.submit', 'change.propose', 'task.verify', 'change.promote'])(
  'a remedy that names %s names an existing command instead',
  (tool) => {
    const shown = nameCommands(`Do it: ${tool}.`);
    expect(shown).not.toContain(`${tool}.`);
    const [, name = ''] = /surety (task \w+)/.exec(shown) ?? [];
    expect(commands.map((command) => command.name)).toContain(name);
  },
);
