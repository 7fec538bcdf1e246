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

This page is generated from \`tests/attacks/\` by \`npm run docs\`.`;
