import { type Attacker, attackers } from '../../tests/attacks/attempt.ts';
import { attemptsElsewhere } from '../../tests/attacks/elsewhere.ts';
import { attempts } from '../../tests/attacks/surfaces.ts';

const all = [...attempts, ...attemptsElsewhere];

/** docs/attacks.md, from the attempts that tests make. */
export function attacksDocument(): string {
  return `${[introduction, ...attackers.map(section)].join('\n\n')}\n`;
}

function section(attacker: Attacker): string {
  const rows = all
    .filter((attempt) => attempt.attacker === attacker)
    .map(
      ({ tries, refusal, entry, file }) =>
        `| ${cell(tries)} | ${cell(refusal)} | ${entry === undefined ? '' : `\`${entry}\``} | \`${file}\` |`,
    );
  const title = attacker.replace(/^./, (letter) => letter.toUpperCase());
  const head = '| it … | it gets | entry | test |\n|---|---|---|---|';
  return [`## ${title}\n`, head, ...rows].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

const introduction = `# Attacks

Each line is an attempt to get more than the attacker may have, what the attacker gets instead, and the kind of the entry
that the [ledger](ledger.md) gets. Tests make every attempt against the real thing: a daemon with real sockets and the
tokens of every role.

\`npm run test:attacks\` makes the ${attempts.length} attempts of \`tests/attacks/\`; \`npm test\` makes all but the slow ones. The other
${attemptsElsewhere.length} are part of the tests that the last column names. \`<status> <code>\` is the answer of the API, with an
[error code](errors.md). Without an entry, the attempt leaves nothing in the ledger.

## What succeeded at first

About 335 of these attempts were written from the documentation alone, before their author had read the code that refuses
them. In about a third of them the refusal had another status or code, or another entry, than the author expected; the
table has what the daemon really answers. Six succeeded when they were made for the first time:

| attempt | what became of it |
|---|---|
| a query parameter that occurs twice was accepted | refused now |
| a patch created \`.git\` with an invisible character in it, which is \`.git\` on some file systems of macOS | refused now |
| a patch with a NUL in a file name was accepted | git cuts the name there; what is protected is decided by the name that git wrote |
| \`within\` accepted a path with \`%2e%2e\`, and one with full-width dots (two attempts) | both are plain names to a file system; bound tools that decode paths by a pattern as well |
| a sender of telemetry without proof that knows the key of a lane added a log line to this lane | such rows are kept apart now, as those of \`unproven:<key>\` |

Writing them also showed that anybody could fill the ledger with forged grants without a token. Now at most 60 a minute are
recorded.

This page is generated from \`tests/attacks/\` by \`npm run docs\`.`;
