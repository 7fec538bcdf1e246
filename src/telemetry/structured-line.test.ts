import { expect, test } from 'vitest';
import { readStructured } from './structured-line.ts';

test.each([
  ['{"level":"info","message":"request","id":7}', 'info', 'request'],
  ['{"level":30,"time":1,"msg":"hello"}', 'info', 'hello'],
  ['{"level":50,"err":{"type":"Error","message":"away"},"msg":"failed"}', 'error', 'failed: away'],
  ['{"level":50,"err":{"message":"away"},"msg":"away"}', 'error', 'away'],
  [' {"severity":"WARNING","message":"slow"} ', 'warn', 'slow'],
  ['{"lvl":"crit","event":"gone"}', 'fatal', 'gone'],
  ['{"level":"odd","text":"x"}', '', 'x'],
  ['{"level":7000,"text":"x"}', '', 'x'],
])('parses %s as %s: %s', (line, severity, message) => {
  expect(readStructured(line)).toEqual({ severity, message });
});

test.each(['plain', '{', '{"a":1}', '{"message":5}', '["message"]', '{"message":""}', '{x}'])(
  'treats %s as a plain line',
  (line) => {
    expect(readStructured(line)).toBeUndefined();
  },
);
