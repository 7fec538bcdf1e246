import { expect, test } from 'vitest';
import { judgeEvasions } from '../scripts/documents/evasions-document.ts';

const evasionsMin = 200;

// proves: hooks.evasions
test('no command that hides a forbidden effect is allowed by the default rules', () => {
  const judged = [...judgeEvasions().values()].flat();
  expect(judged.length).toBeGreaterThanOrEqual(evasionsMin);
  const allowed = judged.filter(({ verdict }) => verdict === 'allow');
  expect(allowed.map(({ command }) => command)).toEqual([]);
});
