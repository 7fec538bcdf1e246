import { describe, expect, test } from 'vitest';
import { against, answer, recording } from './recorded.fixture.ts';
import { findSecurityChanges } from './security.ts';

const page = (...scripts: string[]) =>
  recording([], {
    answers: [answer({ path: '/', body: `<html>${scripts.map((one) => `<script ${one}>`)}` })],
  });
const found = (was: string[], is: string[]): string[] =>
  findSecurityChanges(against(() => page(...was), page(...is))).map(({ after }) => after);

const own = 'src="/app.js" integrity="sha384-abc"';
const pay = 'src="https://js.pay.example/v3.1/pay.js" integrity="sha384-abc"';
const metrics = 'src="//metrics.example/m.js" integrity="sha384-def"';

describe('a page', () => {
  test.each<[string, string[], string[], string[]]>([
    ['runs the same scripts', [own, pay], [own, pay], []],
    [
      'no longer checks its own script',
      [own],
      ['src="/app.js"'],
      ['runs /app.js without integrity'],
    ],
    [
      'no longer checks a script of another site',
      [pay],
      [pay.replace(/ integrity.*/, '')],
      ['runs https://js.pay.example/v3.1/pay.js without integrity'],
    ],
    [
      'runs a new script of another site',
      [pay],
      [pay, metrics],
      ['runs the script //metrics.example/m.js of another site'],
    ],
    ['runs another version of a script', [pay], [pay.replace('v3.1', 'v3.2')], []],
    ['checks a script from now on', [pay.replace(/ integrity.*/, '')], [pay], []],
    ['runs a new script of its own', [own], [own, 'src="/more.js"'], []],
  ])('that %s', (_, was, is, expected) => {
    expect(found(was, is)).toEqual(expected);
  });
});
