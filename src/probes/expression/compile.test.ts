import { createContext, runInContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { operators } from '../in-process/agent.fixture.ts';
import { adversarialExpressions, compileAdversaries, trapsText } from './adversary.ts';
import { checkExpression } from './check.ts';
import { compileExpression } from './compile.ts';

/** As the agent evaluates it, in this process. */
function read(text: string, scope: Record<string, unknown> = {}): unknown {
  const locals = new Map(Object.keys(scope).map((name) => [name, name]));
  const compiled = compileExpression(checkExpression(text), { agent: 'agent', locals });
  const run = new Function('agent', ...Object.keys(scope), `return (${compiled})`);
  return run(operators, ...Object.values(scope));
}

const order = { id: 7, lines: [{ sku: 'a', price: 2 }], note: 'gift', sizes: new Map([['a', 1]]) };

describe('a compiled expression', () => {
  test.each<[string, unknown]>([
    ['order.lines[0].price * 2 + 1', 5],
    ['order.missing?.deep.deeper', undefined],
    ['order.lines.length', 1],
    ['order.sizes.size', 1],
    ["order.sizes.get('a')", 1],
    ['typeof order.note', 'string'],
    ['typeof missing', 'undefined'],
    ['`${order.id}-${order.note}`', '7-gift'],
    ["'id' in order && order instanceof Object", true],
    ['order.note == null ? 1 : -1', -1],
    ["order.note.startsWith('gi') && order.note.slice(1, 3)", 'if'],
    ['[order.id, order.lines.includes(1)]', [7, false]],
    ['{ id: order.id }.id', 7],
    ['Object.keys(order).length', 4],
    ['order.note[0] + order.note.at(-1)', 'gt'],
    ['order.id ?? 1', 7],
    ['String(order.id) === "7" && Number("3") < 4n', true],
  ])('%s reads what JavaScript reads', (text, expected) => {
    expect(read(text, { order })).toEqual(expected);
  });

  test.each<[string, RegExp]>([
    ['order.lines + 1', /valueOf/],
    ['order == 1', /===/],
    ['missing.a', /missing is not defined/],
    ['order.missing.deep', /cannot read deep of undefined/],
    ['3n * 4n', /big integers/],
    ["order.get('a')", /incompatible receiver|get of object/],
    ['failure.stack', /prepareStackTrace/],
    ['order[name]', /that of a secret/],
    ['order.sizes.get(name)', /that of a secret/],
  ])('%s is refused', (text, reason) => {
    const scope = { order, failure: new Error('x'), name: 'password' };
    expect(() => read(text, scope)).toThrow(reason);
  });

  test('calls no builtin that the application has replaced', () => {
    const context = createContext({ agent: operators, order, calls: [] });
    runInContext(
      `for (const name of ['map', 'reduce', 'every', 'slice', Symbol.iterator]) {
        const own = Array.prototype[name];
        Array.prototype[name] = function (...all) { calls.push(name); return own.apply(this, all) };
      }`,
      context,
    );
    const locals = new Map([['order', 'order']]);
    for (const text of ['`${order.id}-${order.note}`', 'order.note.slice(0, 1)', 'String(1)']) {
      const compiled = compileExpression(checkExpression(text), { agent: 'agent', locals });
      runInContext('calls.length = 0', context);
      runInContext(compiled, context);
      expect([text, runInContext('calls.length', context)]).toEqual([text, 0]);
    }
  });

  test('reads no value that follows the name of a secret in a list', () => {
    const raw = ['Cookie', 'hunter2', 'Accept', 'a'];
    expect(read('raw[1]', { raw })).toBe('[redacted]');
    expect(read('raw.at(1)', { raw })).toBe('[redacted]');
    expect(read('raw.slice(0)', { raw })).toEqual(['Cookie', '[redacted]', 'Accept', 'a']);
    expect(read("raw.includes('hunter2')", { raw })).toBe(false);
  });

  test('reads the headers of a request without making them', () => {
    const request = Object.create({
      get headers() {
        throw new Error('made');
      },
    });
    request.rawHeaders = ['X-Request-Id', 'r1', 'Accept', 'a', 'accept', 'b'];
    expect(read("request.headers['x-request-id']", { request })).toBe('r1');
    expect(read('request.headers.accept', { request })).toBe('a, b');
  });
});

// proves: probes.read-only
describe('no expression changes anything', () => {
  test('there are more than 200 attempts, and most of what reads passes the allow-list', () => {
    expect(adversarialExpressions.length).toBeGreaterThanOrEqual(200);
    expect(compileAdversaries('agent').length).toBeGreaterThan(200);
  });

  test('that passes the allow-list', () => {
    const traps = new Function(`return ${trapsText}`)() as { state: { changes: number } };
    for (const text of compileAdversaries('agent')) {
      const run = new Function('agent', 'T', `try { (${text}) } catch {}`);
      run(operators, traps);
      expect([text, traps.state.changes]).toEqual([text, 0]);
    }
  });
});
