import { expect, test } from 'vitest';
import { fillRunner } from './runner.ts';

const http = {
  kind: 'http',
  method: 'POST',
  url: '${URL}/a',
  headers: { authorization: 'Bearer ${TOKEN}' },
} as const;

test('a runner reads its environment variables when it runs', () => {
  const environment = { URL: 'http://a', TOKEN: 't' };
  expect(fillRunner('x', http, environment)).toEqual({
    ...http,
    url: 'http://a/a',
    headers: { authorization: 'Bearer t' },
  });
  const command = { kind: 'command', command: ['run', '${URL}'] } as const;
  expect(fillRunner('x', command, environment)).toEqual({
    kind: 'command',
    command: ['run', 'http://a'],
  });
});

test.each(['TOKEN', 'constructor'])('a runner without its variable %s does not run', (name) => {
  const runner = { ...http, headers: { a: `\${${name}}` } };
  expect(() => fillRunner('x', runner, { URL: 'a' })).toThrow(
    `needs the environment variable ${name}`,
  );
});
