import { expect, test } from 'vitest';
import { readLine } from './line-facts.ts';

const traceId = 'abcdef0123456789abcdef0123456789';
const spanId = '0123456789abcdef';
const none = { severity: '', traceId: '', spanId: '' };

test.each([
  ['{"level":30,"msg":"pino"}', { severity: 'info' }],
  ['{"level":60,"msg":"pino"}', { severity: 'fatal' }],
  ['{"level":"warn","message":"winston"}', { severity: 'warn' }],
  ['{"levelname": "ERROR"}', { severity: 'error' }],
  ['{"severity":"CRITICAL"}', { severity: 'fatal' }],
  [`{"trace_id":"${traceId}","span_id":"${spanId}"}`, { traceId, spanId }],
  [`{"traceId":"${traceId.toUpperCase()}"}`, { traceId }],
  ['{"trace_id":"short","level":"loud","span_id":7}', {}],
  ['2026-11-15 10:00:00 WARNING something', { severity: 'warn' }],
  ['[error] it broke', { severity: 'error' }],
  ['level=debug msg=x', { severity: 'debug' }],
  [`it broke trace_id=${traceId} span_id=${spanId}`, { traceId, spanId }],
  ['there was no error here, informational only', { severity: 'error' }],
  ['terror', {}],
  ['{"level":', {}],
  ['{', {}],
  ['', {}],
])('reads %s', (text, facts) => {
  expect(readLine(text)).toEqual({ ...none, ...facts });
});
