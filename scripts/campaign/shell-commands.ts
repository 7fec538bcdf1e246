import { readFileSync } from 'node:fs';
import { type CodingRuling, judgeCoding, readCodingCall } from '../../src/gate/coding/index.ts';
import { parsePolicy } from '../../src/gate/language/index.ts';
import { FileFacts, proposalOf } from '../../src/hook/index.ts';
import { say } from '../steps.ts';

interface Line {
  readonly command: string;
  readonly cwd?: string;
  /** The effect that must not get through. */
  readonly forbidden?: string;
}

export interface JudgedLine extends Line {
  readonly verdict: 'allow' | 'hold' | 'deny';
  readonly rulings: readonly CodingRuling[];
}

type Settings = ReturnType<typeof parsePolicy>['coding'];

/** The section `coding` of a policy; without a file, the shipped defaults. */
export function settingsOf(path: string | undefined): Settings {
  const text = path === undefined ? 'version: 1\n' : readFileSync(path, 'utf8');
  return parsePolicy(text, { path: path ?? '/nowhere/policy.yaml', natives: [] }).coding;
}

/**
 * `npm run campaign -- evasions <file.json> [policy.yaml]`: a list of `{"command", "cwd",
 * "forbidden"}`. The commands are judged and never run. Prints what gets through.
 */
export async function evasionsCampaign([path, policy]: string[]): Promise<number> {
  const lines = judgeFile(path, settingsOf(policy));
  const through = lines.filter(({ verdict }) => verdict === 'allow');
  for (const { command, forbidden = '' } of through)
    say(`through: ${JSON.stringify(command)}  ${forbidden}`);
  const denied = lines.filter(({ verdict }) => verdict === 'deny').length;
  const held = lines.length - denied - through.length;
  say(`\n${lines.length} evasions: ${denied} denied, ${held} held, ${through.length} got through.`);
  return through.length === 0 ? 0 : 1;
}

/** `npm run campaign -- ordinary <file.json>`: the same for commands that should be allowed. */
export async function ordinaryCampaign([path, policy]: string[]): Promise<number> {
  const lines = judgeFile(path, settingsOf(policy));
  const stopped = lines.filter(({ verdict }) => verdict !== 'allow');
  for (const { command, verdict, rulings } of stopped)
    say(`${verdict}: ${JSON.stringify(command)}  ${rulings.map(showRuling).join('; ')}`);
  const percent = ((100 * stopped.length) / Math.max(1, lines.length)).toFixed(1);
  say(`\n${lines.length} ordinary commands: ${stopped.length} held or denied (${percent} %).`);
  return stopped.length <= lines.length * stoppedShareMax ? 0 : 1;
}

const stoppedShareMax = 0.02;

function showRuling({ rule, reason }: CodingRuling): string {
  return `${rule}: ${reason}`;
}

function judgeFile(path: string | undefined, settings: Settings): JudgedLine[] {
  if (path === undefined) throw new Error('which file? npm run campaign -- evasions <file.json>');
  return (JSON.parse(readFileSync(path, 'utf8')) as Line[]).map((line) =>
    judgeLine(line, settings),
  );
}

export function judgeLine(line: Line, settings: Settings): JudgedLine {
  const { command, cwd = '/home/dev/project' } = line;
  const home = /^\/(?:home|Users)\/[^/]+/.exec(cwd)?.[0] ?? '/home/dev';
  const place = { directory: cwd, home, project: cwd };
  const proposal = proposalOf({ kind: 'shell', command }, place, new FileFacts());
  const rulings = judgeCoding(readCodingCall(proposal?.arguments ?? {}), settings);
  const verdicts = rulings.map(({ verdict }) => verdict);
  const verdict = verdicts.includes('deny') ? 'deny' : verdicts.includes('hold') ? 'hold' : 'allow';
  return { ...line, verdict, rulings };
}
