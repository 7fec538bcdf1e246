import { expect, test } from 'vitest';
import { proposalWithFiles } from '../../../hook/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { canHaveEvidence } from './with-evidence.ts';

const place = { directory: '/project', home: '/home/dev', project: '/project' };

/** The effects of a command for which a verdict may be looked up. */
function provable(command: string): string[] {
  const proposal = proposalWithFiles({ kind: 'shell', command }, place);
  const given = proposal?.arguments ?? {};
  const effects = (given.effects ?? []) as readonly JsonObject[];
  const found = effects.filter((effect) => canHaveEvidence(effect, given));
  return found.map(({ kind }) => String(kind)).filter((kind) => kind.startsWith('git.'));
}

test.each([
  ['git commit -m x', ['git.commit']],
  ['git add -A && git commit -m x', ['git.commit']],
  ['git push', ['git.push']],
  ['git push origin HEAD:main', ['git.push']],
])('a verdict is looked up for %s', (command, kinds) => {
  expect(provable(command)).toEqual(kinds);
});

test.each([
  ['what it writes before', 'echo x > a.ts && git commit -am y'],
  ['what its code writes before', 'npm test && git commit -am y'],
  ['what it fetches before', 'git checkout other && git push'],
  ['what cannot be known', 'GIT_DIR=/other/.git git push'],
  ['another repository', 'git -C ../other push'],
  ['a repository below', 'cd /project/vendor && git push'],
  ['further branches', 'git push --all origin'],
  ['tags', 'git push --tags'],
])('no verdict is about %s: %s', (_, command) => {
  expect(provable(command)).toEqual([]);
});

test('no verdict is about the commit that a push has just made', () => {
  expect(provable('git commit -am x && git push')).toEqual(['git.commit']);
});
