import { describe, expect, test } from 'vitest';
import { Fault, fault, faultFromReport, toFault } from './fault.ts';
import { faults } from './faults.ts';

// proves: kernel.faults
describe('faults', () => {
  test.each(Object.entries(faults))('%s has a message and a remedy', (code, definition) => {
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(definition.message.length).toBeGreaterThan(0);
    expect(definition.remedy.length).toBeGreaterThan(0);
    expect(definition.status).toBeGreaterThanOrEqual(400);
  });

  test('fills values into message and remedy', () => {
    const { message, remedy } = fault('LEASE_TTL_INVALID', { ttlMs: 0, maxMs: 10 });
    expect(message).toBe('0 ms is not a valid lease time.');
    expect(remedy).toBe('Ask for a whole number of milliseconds from 1 to 10.');
  });

  test('does not expand placeholders inside values', () => {
    const { message } = fault('USAGE', { reason: '{help}', help: 'x' });
    expect(message).toBe('{help}');
  });

  test('recorded under a former code are read under the new one', () => {
    const recorded = { ...fault('TOOL_BLOCKED', { tool: 'search' }).report(), code: 'TOOL_HELD' };
    expect(faultFromReport(recorded).code).toBe('TOOL_BLOCKED');
  });

  test('can be rebuilt from code and values', () => {
    const original = fault('PORT_TAKEN', { port: 80, host: '127.0.0.1' });
    const again = new Fault(original.code, original.values);
    expect(again.report()).toEqual(original.report());
  });

  test('turns an unexpected error into INTERNAL and keeps its cause', () => {
    const cause = new TypeError('x is undefined');
    const made = toFault(cause);
    expect(made).toMatchObject({ code: 'INTERNAL', retryable: false, cause });
    expect(made.message).toContain('x is undefined');
  });
});
