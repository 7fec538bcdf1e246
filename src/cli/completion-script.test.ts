import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commands } from './commands.ts';
import { formatCompletion } from './completion-script.ts';

/** What bash offers after these words, the last of which is being typed. */
function offered(...words: readonly string[]): string[] {
  const typed = words.map((word) => `"${word}"`).join(' ');
  const script = `${formatCompletion('bash', commands)}
COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _surety; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n');
}

test.each([
  [['surety', 'la'], ['lane']],
  [['surety', 'lane', 'cl'], ['close']],
  [['surety', 'lane', 'open', '--wor'], ['--worktree']],
  [['surety', 'init', '--no'], ['--no-try']],
  [['surety', 'watch', '--on'], ['--once']],
])('bash completes %j', (words, expected) => {
  expect(offered(...words)).toEqual(expected);
});

test('the scripts of zsh and fish name every command', () => {
  const zsh = formatCompletion('zsh', commands);
  const fish = formatCompletion('fish', commands).split('\n');
  expect(zsh).toContain('bashcompinit');
  for (const { name } of commands) {
    expect(zsh).toContain(`"${name}")`);
    const last = name.split(' ').at(-1);
    expect(fish.some((line) => line.includes(` -a ${last} `))).toBe(true);
  }
});
