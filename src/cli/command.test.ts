import { expect, test } from 'vitest';
import { checkPlatform } from './command.ts';
import { commands } from './commands.ts';

// proves: cli.linux
test('commands that run services, lanes or probes say on a Mac that they need Linux', () => {
  const refused = commands.filter((command) => {
    try {
      checkPlatform(command, 'darwin');
      return false;
    } catch (error) {
      expect(error).toMatchObject({
        code: 'NEEDS_LINUX',
        message: expect.stringContaining(command.name),
      });
      return true;
    }
  });
  const names = refused.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['system up', 'lane open', 'verify', 'investigate']),
  );
  for (const name of ['up', 'status', 'ledger verify', 'mcp']) expect(names).not.toContain(name);
});

test('no command says on Linux that it needs Linux', () => {
  for (const command of commands) expect(() => checkPlatform(command, 'linux')).not.toThrow();
});
