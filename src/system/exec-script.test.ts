import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { execScript } from './exec-script.ts';

test.each([
  ['printf "%s" a', 'a'],
  ['A=1 B="x y" sh -c \'printf "%s" "$A $B"\'', '1 x y'],
  ['A=1 printf "%s" "$HOME=$A"', '/h='],
])('the script of %s does what a shell does', (command, expected) => {
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', execScript(command)], {
    env: { PATH: process.env.PATH, HOME: '/h' },
    encoding: 'utf8',
  });
  expect([stdout, stderr]).toEqual([expected, '']);
});
