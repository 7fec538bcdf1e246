import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { judgeLine, settingsOf } from '../scripts/campaign/shell-commands.ts';
import { judgeEvasions } from '../scripts/documents/evasions-document.ts';

const evasionsMin = 200;

// proves: hooks.evasions
test('no command that hides a forbidden effect is allowed by the default rules', () => {
  const judged = [...judgeEvasions().values()].flat();
  expect(judged.length).toBeGreaterThanOrEqual(evasionsMin);
  const allowed = judged.filter(({ verdict }) => verdict === 'allow');
  expect(allowed.map(({ command }) => command)).toEqual([]);
});

/** The commands of a list that the default rules judge so. */
function judged(file: string, isWanted: (verdict: string) => boolean): readonly string[] {
  const url = new URL(`./fixtures/${file}`, import.meta.url);
  const commands = JSON.parse(readFileSync(url, 'utf8')) as string[];
  const settings = settingsOf(undefined);
  return commands.filter((command) => isWanted(judgeLine({ command }, settings).verdict));
}

test('no command of a longer list, by program and option, is allowed by the default rules', () => {
  expect(judged('commands-stopped.json', (verdict) => verdict === 'allow')).toEqual([]);
});

test('commands of usual work are allowed by the default rules', () => {
  const stopped = judged('commands-ordinary.json', (verdict) => verdict !== 'allow');
  // The environment may contain secrets, whatever is searched in it.
  expect(stopped).toEqual(['env | grep NODE_ENV || true']);
});
