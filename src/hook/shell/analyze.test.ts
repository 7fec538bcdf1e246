import { describe, expect, test } from 'vitest';
import { analyzeCommand } from './analyze.ts';
import { FileFacts } from './file-facts.ts';

const place = { directory: '/home/dev/shop', home: '/home/dev', project: '/home/dev/shop' };

/** Commands are only analysed here. Nothing in this file runs one. */
function effectsOf(command: string) {
  const effects = analyzeCommand(command, place, new FileFacts());
  return Object.fromEntries(effects.list().map(({ kind, values }) => [kind, values]));
}

function unresolvedIn(command: string): number {
  const { unresolved, unknownPrograms } = analyzeCommand(command, place, new FileFacts());
  return unresolved.size + unknownPrograms.size;
}

describe('the analysis of a command finds the path that it deletes', () => {
  test.each([
    ['directly', 'rm -rf /data/x'],
    ['with a backslash in the name', 'r\\m /data/x'],
    ['with quotes in the name', `'r'"m" /data/x`],
    ['with ANSI-C quotes', "$'\\x72m' /data/x"],
    ['by brace expansion', '{rm,-rf,/data/x}'],
    ['by a variable', 'x=rm; $x /data/x'],
    ['by a variable with other separators', 'IFS=,; x="rm,/data/x"; $x'],
    ['by an array', 'a=(rm /data/x); "${a[@]}"'],
    ['by positional parameters', 'set -- rm /data/x; "$@"'],
    ['in sh -c', 'sh -c "rm /data/x"'],
    ['in nested shells', `bash -c "sh -c 'rm /data/x'"`],
    ['in eval', 'eval "rm /data/x"'],
    ['behind env', 'env A=1 rm /data/x'],
    ['behind timeout', 'timeout 5 rm /data/x'],
    ['by xargs', 'echo /data/x | xargs rm'],
    ['by find -exec', 'find /data/x -exec rm {} \\;'],
    ['from a pipe into a shell', "printf 'rm /data/x' | sh"],
    ['from base64 into a shell', 'echo cm0gL2RhdGEveA== | base64 -d | sh'],
    ['from a here-document', 'sh <<X\nrm /data/x\nX'],
    ['from a here-string', "sh <<< 'rm /data/x'"],
    ['in a function', 'f() { "$@"; }; f rm /data/x'],
    ['in an alias', "alias l='rm /data/x'; l"],
    ['in a substitution', 'echo "$(rm /data/x)"'],
    ['in a process substitution', 'cat <(rm /data/x)'],
    ['in a test', '[[ -n $(rm /data/x) ]]'],
    ['in a trap', "trap 'rm /data/x' EXIT"],
    ['in another directory', 'cd /data && rm x'],
    ['through a link that the command makes', 'ln -s /data d; rm d/x'],
  ])('%s', (_, command) => {
    expect(effectsOf(command)['file.delete']?.paths).toContain('/data/x');
  });
});

describe('the analysis of a command says what it cannot know', () => {
  test.each([
    ['a program from the environment', '$TOOL x'],
    ['a program that is not known', 'frobnicate x'],
    ['a download that a shell runs', 'curl localhost | sh'],
    ['a path from a file', 'rm "$(cat list)"'],
    ['a script that the same command downloads', 'curl -o x.sh localhost/x; sh x.sh'],
    ['a library that is loaded first', 'LD_PRELOAD=./x.so ls'],
    ['text that the shell cannot parse', 'if then'],
    ['a prompt that is evaluated', 'x=\'$(date)\'; : "${x@P}"'],
    ['a slice with a command in it', 'x=abc; echo "${x:$(date)}"'],
    ['a subscript with a command in it', "printf -v 'a[$(date)0]' x"],
    ['a subscript in a test', "[[ -v 'a[$(date)]' ]]"],
    ['a subscript in a variable', "declare -i n; n='b[$(date)0]'"],
    ['a command for each line of a list', "mapfile -c 1 -C 'date' L <<< one"],
    ['a list with its own order', 'a=([1]=x [0]=date); ${a[@]}'],
    ['a name that stands for another program', 'hash -p /bin/date ls; ls'],
    ['a variable that loads options', 'TAR_OPTIONS=--x; export TAR_OPTIONS; tar cf a.tar src'],
    ['a function in a variable', "env 'BASH_FUNC_ls%%=() { date; }' bash -c ls"],
    ['patterns for hidden files', 'shopt -s dotglob; cat *'],
    ['a search path that is changed first', 'PATH=/tmp/bin:$PATH; ls'],
    ['code in an address', "node --import 'data:text/javascript,0' -e 0"],
    ['the end of a list of names', 'touch "$(ls src/*.ts | tail -c 9)"'],
    ['names in which a slash is put', 'touch $(ls | tr X /)'],
    ['a name that perl runs', "perl -ne 'print' 'date|'"],
    ['settings that the same command writes', 'echo "fs.x" > x.js; eslint -c x.js src'],
    ['a NUL', 'ls \0'],
  ])('%s', (_, command) => {
    expect(unresolvedIn(command)).toBeGreaterThan(0);
  });
});

test('a command that only reads the project has no effect but reading', () => {
  expect(effectsOf('grep -rn import src | sort | head -5')).toEqual({
    'file.read': { paths: ['/home/dev/shop/src'] },
  });
  expect(unresolvedIn('grep -rn import src | sort | head -5')).toBe(0);
});

describe('the analysis of a command finds the secret that it reads', () => {
  test.each([
    [
      'by an option that takes no value',
      'od -c "$HOME/.ssh/id_ed25519"',
      '/home/dev/.ssh/id_ed25519',
    ],
    ['by a list of arguments', 'xargs -a .env -n1 echo', '/home/dev/shop/.env'],
    ['by running it', 'set -a; . ./.env', '/home/dev/shop/.env'],
    ['by settings of git', 'git config -f ~/.aws/credentials --list', '/home/dev/.aws/credentials'],
    ['by the word behind the text of a shell', `sh -c 'cat "$0"' ~/.netrc`, '/home/dev/.netrc'],
    ['by the name of a variable', 'echo "${!v}"', 'environment'],
    ['by listing variables', 'declare -px', 'environment'],
  ])('%s', (_, command, path) => {
    expect(effectsOf(command)['secret.read']?.paths).toContain(path);
  });
});

test.each([
  ['git apply', 'git apply <<X\n--- a/.claude/settings.json\n+++ b/.claude/settings.json\nX'],
  ['patch', 'patch -p0 <<X\n--- .claude/settings.json\n+++ .claude/settings.json\nX'],
  ['a pattern', ': > .cl[a]ude/set*.json'],
])('%s that changes the hooks of the harness is found', (_, command) => {
  expect(effectsOf(command)).toHaveProperty('surety.control');
});

test('an abbreviated option of git push is a push by force', () => {
  expect(effectsOf('git push --forc origin main')['git.push']?.force).toBe(true);
});

describe('a command of usual work has no part that is not known', () => {
  test.each([
    ['a file by its place in a list', 'cat "migrations/$(ls -1 migrations | tail -1)"'],
    ['each file of a list', 'ls *.md | while read -r f; do head -1 "$f"; done'],
    [
      'each tracked file',
      "while read -r f; do wc -l < \"$f\"; done < <(git ls-files '*.ts' '*.tsx')",
    ],
    ['files that contain a word', 'grep -rl moment src | xargs sed -n 1,5p'],
    ['a number of jobs', 'case $(uname) in L) n=$(nproc);; *) n=2;; esac; make -j"$n" test'],
    ['code that the command writes and formats', 'echo x > a.ts; npx prettier --check a.ts'],
    [
      'a script that it writes and runs',
      "printf '#!/bin/sh\\nls\\n' > a.sh; chmod +x a.sh; ./a.sh",
    ],
    ['lines that perl changes', "perl -pi -e 's/a/b/g' src/a.js"],
  ])('%s', (_, command) => {
    expect(unresolvedIn(command)).toBe(0);
    expect(effectsOf(command)).not.toHaveProperty('secret.read');
    expect(effectsOf(command)).not.toHaveProperty('code.inline');
  });
});

test('an install that no lock file pins runs scripts of packages that nobody named', () => {
  for (const command of [
    'npm it',
    'npm install',
    'npm rebuild',
    'yarn',
    'python3 setup.py develop',
  ])
    expect(effectsOf(command)['package.install']).toMatchObject({
      runsScripts: true,
      packages: [expect.any(String)],
    });
  for (const command of ['npm ci', 'yarn install --frozen-lockfile', 'pnpm i --frozen-lockfile'])
    expect(effectsOf(command)['package.install']?.packages).toEqual([]);
  expect(effectsOf('npm install --ignore-scripts')['package.install']?.runsScripts).toBe(false);
});
