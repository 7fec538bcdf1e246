import { describe, expect, test } from 'vitest';
import type { Json } from '../../kernel/index.ts';
import {
  compileExpression,
  ExpressionFailure,
  ExpressionMistake,
  shapeOfSchema,
  type ValueShape,
} from './index.ts';

const order = {
  type: 'object',
  required: ['orderId', 'amount'],
  properties: {
    orderId: { type: 'string', maxLength: 40 },
    amount: { type: 'integer', minimum: 1 },
    share: { type: 'number' },
    currency: { enum: ['EUR', 'USD'] },
    note: { type: 'string' },
    isUrgent: { type: 'boolean' },
    lines: {
      type: 'array',
      maxItems: 10,
      items: {
        type: 'object',
        properties: { sku: { type: 'string' }, count: { type: 'integer' } },
      },
    },
    tags: { type: 'array', items: { type: 'string' } },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 20 } },
  },
};

const scope: Readonly<Record<string, ValueShape>> = {
  arguments: shapeOfSchema(order),
  reads: { kind: 'any' },
  now: { kind: 'timestamp' },
  vars: { kind: 'object', fields: { threshold: { kind: 'int' } } },
};

const values: Readonly<Record<string, Json>> = {
  arguments: {
    orderId: 'o-17',
    amount: 4_000,
    share: 0.25,
    currency: 'EUR',
    isUrgent: false,
    lines: [{ sku: 'a', count: 2 }, { sku: 'b', count: 3 }, { sku: 'c' }],
    labels: { team: 'blue', 'with-dash': 'x', zero: '' },
  },
  reads: {
    order: { total: 4_000, status: 'delivered', ratio: 1.5, items: [1, 2, 3], gone: null },
    text: 'Hello',
    large: Number.MAX_SAFE_INTEGER,
  },
  now: Date.UTC(2026, 2, 29, 0, 30),
  vars: { threshold: 5_000 },
};

const evaluate = (text: string): Json => compileExpression(text, scope).evaluate(values);

function mistake(text: string, wanted?: 'bool' | 'int' | 'string'): ExpressionMistake {
  try {
    compileExpression(text, scope, wanted);
  } catch (error) {
    if (error instanceof ExpressionMistake) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
}

function failure(text: string, given: Readonly<Record<string, Json>> = values): string {
  const expression = compileExpression(text, scope);
  try {
    expression.evaluate(given);
  } catch (error) {
    if (error instanceof ExpressionFailure) return error.reason;
    throw error;
  }
  throw new Error(`${text} had an answer`);
}

describe('an expression evaluates', () => {
  test.each<[string, Json]>([
    ['arguments.amount <= 5000 && arguments.currency == "EUR"', true],
    ['arguments.amount <= vars.threshold', true],
    ['arguments["amount"] == 4000', true],
    ['arguments.labels["with-dash"]', 'x'],
    ['arguments.labels.team + "/" + arguments.orderId', 'blue/o-17'],
    ['has(arguments.note)', false],
    ['has(arguments.labels.zero)', true],
    ['has(reads.order.nothing)', false],
    ['"team" in arguments.labels', true],
    ['"toString" in arguments.labels', false],
    ['arguments.currency in ["EUR", "CHF"]', true],
    ['arguments.currency in []', false],
    ['3 in reads.order.items', true],
    ['2.0 in reads.order.items', true],
    ['"status" in reads.order', true],
    ['arguments.lines.exists(line, line.count > 2)', true],
    ['arguments.lines.filter(line, has(line.count)).map(line, line.count * 2)', [4, 6]],
    ['arguments.lines.map(line, has(line.count), line.sku)', ['a', 'b']],
    ['arguments.lines.exists_one(line, line.sku == "b")', true],
    ['arguments.lines[0].sku', 'a'],
    ['size(arguments.lines) + size("äöü😀")', 7],
    ['{"a": [1, 2.5], "b": null}', { a: [1, 2.5], b: null }],
    ['{"a": 1, "b": 2}.all(key, key < "c")', true],
    ['{"a": {"b": [1]}} == {"a": {"b": [1.0]}}', true],
    ['{"a": 1} == {"a": 1, "b": 2}', false],
    ['arguments.isUrgent ? "now" : "later"', 'later'],
    ['arguments.orderId.matches("^o-[0-9]+$")', true],
    ['arguments.orderId.startsWith("o-") && !arguments.orderId.endsWith("8")', true],
    ['reads.text.lowerAscii()', 'hello'],
    ['"ÄA😀Z".lowerAscii()', 'Äa😀z'],
    ['reads.order.gone == null', true],
    ['reads.order.status == 5', false],
    ['reads.order.total + 1', 4_001],
    ['reads.order.total / 3', 1_333],
    ['reads.order.total * reads.order.ratio', 6_000],
    ['double(reads.order.total) / reads.order.ratio > 2666.6', true],
    ['-7 / 2', -3],
    ['-7 % 2', -1],
    ['9007199254740991 / 9007199254740990', 1],
    ['9007199254740990 / 9007199254740991', 0],
    ['9007199254740991 / 3 * 3', 9_007_199_254_740_990],
    ['int("-12") + int(3.99) + int(true ? -0.5 : 0.0)', -9],
    ['double("1e3") + 0.5', 1_000.5],
    ['1.0 / double(-(reads.order.total - reads.order.total)) > 0.0', true],
    ['1.0 / double((reads.order.total - reads.order.total) * -reads.order.total) > 0.0', true],
    ['string(12) + string(1.5) + string(true) + string("x")', '121.5truex'],
    ['1 == 1.0 && 1 < 1.5 && 2.5 >= 2', true],
    ['"a" < "b" && false < true', true],
    // By code points: in UTF-16 the first would be the smaller one.
    ['"😀" > "\uFFFF"', true],
    ['dyn(1) < dyn(2) && dyn("a") <= dyn("a")', true],
  ])('%s', (text, wanted) => {
    expect(evaluate(text)).toEqual(wanted);
  });

  test('timestamps and durations', () => {
    expect(evaluate('now')).toBe('2026-03-29T00:30:00Z');
    expect(evaluate('now + duration("1h30m") > timestamp("2026-03-29T01:59:59Z")')).toBe(true);
    expect(evaluate('timestamp("2026-03-29T00:30:00.5Z") - now')).toBe('0.5s');
    expect(evaluate('timestamp(reads.order.total).getFullYear()')).toBe(1970);
    expect(evaluate('now < timestamp(string(now)) + duration("1ms")')).toBe(true);
    expect(evaluate('[now, now + duration("1s")].exists(t, t > now)')).toBe(true);
    expect(evaluate('duration("90m").getHours() + duration("90m").getMinutes()')).toBe(91);
  });

  // The clocks of Berlin go from 2 to 3 on this night: half past one UTC is half past three.
  test.each<[string, Json]>([
    ['now.getHours()', 0],
    ['now.getHours("UTC")', 0],
    ['now.getHours("Europe/Berlin")', 1],
    ['(now + duration("1h")).getHours("Europe/Berlin")', 3],
    ['now.getDate("America/New_York")', 28],
    ['now.getHours("+05:30")', 6],
    ['now.getMinutes("-00:45")', 45],
    ['now.getDayOfWeek()', 0],
    ['now.getDayOfYear()', 87],
    ['now.getMonth()', 2],
    ['now.getDayOfMonth("Asia/Tokyo")', 28],
  ])('a timestamp in a time zone: %s', (text, wanted) => {
    expect(evaluate(text)).toBe(wanted);
  });

  test('to the deciding part when another part fails', () => {
    const bad = 'arguments.amount / 0 > 1';
    expect(evaluate(`${bad} || true`)).toBe(true);
    expect(evaluate(`true || ${bad}`)).toBe(true);
    expect(evaluate(`${bad} && false`)).toBe(false);
    expect(evaluate(`true && ${bad} && false`)).toBe(false);
    expect(evaluate(`arguments.lines.exists(line, line.count > 100 || line.sku == "c")`)).toBe(
      true,
    );
    expect(evaluate('arguments.lines.all(line, line.count > 2)')).toBe(false);
    expect(evaluate('false ? arguments.amount / 0 : 1')).toBe(1);
    expect(failure(`${bad} && true`)).toContain('divided by zero');
    expect(failure(`false || ${bad} || reads.none`)).toContain('divided by zero');
  });
});

describe('a compiled expression reports', () => {
  test('the type of its result and the variables that it reads', () => {
    const { kind, paths, text, stepsMax } = compileExpression(
      'arguments.amount > vars.threshold || arguments["labels"]["with-dash"] == reads.order.items[0]',
      scope,
    );
    expect({ kind, paths }).toEqual({
      kind: 'bool',
      paths: ['arguments.amount', 'vars.threshold', 'arguments.labels', 'reads.order.items'],
    });
    expect(text).toContain('vars.threshold');
    expect(stepsMax).toBeGreaterThan(0);
  });

  test('reads by has() and by the lists of its macros', () => {
    const { paths } = compileExpression(
      'has(arguments.note) && arguments.lines.all(line, line.count < vars.threshold)',
      scope,
    );
    expect(paths).toEqual(['arguments.note', 'arguments.lines', 'vars.threshold']);
  });

  test('its largest number of steps, which grows with the values', () => {
    const { stepsMax } = compileExpression('arguments.lines.all(line, line.count > 0)', scope);
    expect(stepsMax).toBeGreaterThan(10 * 3);
    expect(stepsMax).toBeLessThan(10 * 10);
  });
});

describe('compiling reports a mistake in', () => {
  test.each<[string, string, string, number]>([
    ['a variable', 'argument.amount', 'did you mean "arguments"?', 0],
    ['a field', 'arguments.amont > 1', 'did you mean "amount"?', 9],
    ['a field of an item', 'arguments.lines.all(l, l.skuu == "a")', 'did you mean "sku"?', 24],
    ['a field in has()', 'has(arguments.nots)', 'did you mean "note"?', 0],
    ['a key', 'arguments["amont"]', 'did you mean "amount"?', 9],
    ['a field of a text', 'arguments.orderId.length', 'is a string and has no field', 17],
    ['a function', 'arguments.orderId.startWith("o")', 'did you mean "startsWith"?', 17],
    ['a function of no kind', 'frobnicate(1)', 'there is no function frobnicate()', 0],
    ['a macro', 'arguments.lines.all(true)', 'all() is not used like this', 15],
    ['a method', 'startsWith("a", "b")', 'stands behind a value', 0],
    ['a function behind a dot', '"1".int()', 'in its brackets', 3],
    ['too many operands', 'size("a", "b")', 'too many or too few', 0],
    ['a text that is a number', 'arguments.amount == "4000"', 'never equal', 17],
    ['a number that is a text', 'arguments.orderId > 17', 'does not compare', 18],
    ['a null that never is', 'arguments.orderId == null', 'has(arguments.orderId)', 18],
    ['a text in a list of ints', '"a" in [1, 2]', 'never equal', 4],
    ['a sum of kinds', 'arguments.amount + arguments.orderId', 'does not take an int', 17],
    [
      'ints and doubles',
      'arguments.amount * arguments.share',
      'write double(arguments.amount)',
      17,
    ],
    ['a number as a condition', 'arguments.amount && true', '&& needs a bool', 9],
    ['two kinds of answers', 'arguments.isUrgent ? 1 : "a"', 'both sides of ?', 25],
    ['a division without a kind', 'reads.a / reads.b', 'write int(reads.a)', 8],
    ['a time that is a text', 'now > "2026-01-01"', 'does not compare a timestamp', 4],
    ['a time that is anything', 'reads.at < now', 'write timestamp(reads.at)', 5],
    ['a time as equal to anything', 'now == reads.at', 'never equal', 4],
    ['a timestamp', 'now > timestamp("yesterday")', '"yesterday" is not a timestamp', 16],
    ['a duration', 'now - now > duration("1 day")', 'is not a duration', 21],
    ['a finer time', 'duration("1us") > duration("1s")', 'whole milliseconds', 9],
    ['a time zone', 'now.getHours("Europe/Atlantis")', 'no time zone "Europe/Atlantis"', 13],
    ['a time zone that is read', 'now.getHours(arguments.orderId)', 'a time zone is a literal', 22],
    ['a time among others', '[now, 1]', 'times do not stand in a list', 6],
    ['a pattern that is read', 'arguments.orderId.matches(reads.p)', 'a pattern is a literal', 31],
    ['a pattern', 'arguments.orderId.matches("(a")', 'no pattern of RE2', 26],
    ['a pattern of others', 'arguments.orderId.matches("(?<=a)b(?=c)")', 'no pattern of RE2', 26],
    ['a long text to match', 'arguments.note.matches("a")', 'give it maxLength', 9],
    ['a list without end', 'arguments.tags.all(tag, tag != "")', 'give it maxItems', 9],
    ['a sum without end', '(arguments.tags + ["a"]).all(tag, tag != "")', 'give it maxItems', 16],
    ['a search without end', '"a" in arguments.tags', 'give it maxItems', 16],
    ['keys without end', 'arguments.labels.all(key, key != "")', 'the keys of arguments.labels', 9],
    ['a size without end', 'size(arguments.labels) > 1', 'with unknown keys', 0],
    ['a directory', 'arguments.orderId.within("data")', 'a directory is an absolute path', 25],
    ['a key twice', '{"a": 1, "a": 2}', '"a" is there twice', 9],
    ['a key that is no text', '{1: 2}', 'literal texts', 1],
    ['an unsigned int', 'arguments.amount > 3u', 'leave the u away', 19],
    ['bytes', 'b"abc" == b"abc"', 'there are no bytes', 0],
    ['a large int', '9007199254740992 > 1', 'at most 53 bits', 0],
    ['a message', 'Money{units: 3}', 'there is no type Money', 0],
    ['nothing', '  ', 'it is empty', 0],
    ['an end', 'arguments.amount > ', 'this is not CEL from here on', 17],
    ['an operator of others', 'arguments.amount === 3', 'this is not CEL', 17],
    ['times in an answer', '[now]', 'use string()', 0],
  ])('%s', (_, text, words, offset) => {
    const { message, offset: at } = mistake(text);
    expect(message).toContain(words);
    expect([text, at]).toEqual([text, offset]);
  });

  test('the type of the result', () => {
    expect(mistake('arguments.amount', 'bool').message).toContain('needs a bool');
    expect(mistake('arguments.share', 'int').message).toContain('write int(arguments.share)');
    expect(mistake('arguments.amount', 'string').message).toContain('write string(');
    expect(compileExpression('arguments.amount', scope, 'int').kind).toBe('int');
  });
});

describe('evaluation fails on', () => {
  test.each<[string, string, string]>([
    ['a division by zero', 'arguments.amount / (arguments.amount - 4000) > 1', 'divided by zero'],
    ['a remainder by zero', 'arguments.amount % 0 > 1', 'divided by zero'],
    ['too large an int', '9007199254740991 + arguments.amount', 'more than 53 bits'],
    ['too large an unknown int', 'reads.order.total + reads.large', 'more than 53 bits'],
    ['too large a product', '3000000000 * arguments.amount * 1000000', 'more than 53 bits'],
    ['a field that is not there', 'arguments.note == "a"', 'arguments has no field "note"'],
    ['a field of any value', 'reads.order.statu == "a"', 'reads.order has no field "statu"'],
    ['a field of a text', 'reads.text.length == 5', 'reads.text is not an object'],
    ['an index', 'arguments.lines[3].sku', 'outside of the list'],
    ['a negative index', 'arguments.lines[-1].sku', 'outside of the list'],
    ['a key', 'arguments.labels[arguments.orderId]', 'has no key arguments.orderId'],
    ['a text for a number', 'reads.text > 5', 'reads.text is not a double'],
    ['a number for a text', 'reads.order.total.startsWith("4")', 'is not a string'],
    ['a fraction for an int', 'reads.order.ratio + 1', 'is not an int'],
    ['a text as a condition', 'reads.text || arguments.isUrgent', 'reads.text is not a bool'],
    ['two kinds', 'reads.text < reads.order.total', 'does not compare'],
    ['a sum of two kinds', 'reads.text + reads.order.total', 'does not take'],
    ['objects of unknown shape', 'reads.order == reads.order', 'compare their fields'],
    ['a walk over unknown keys', 'reads.order.all(key, true)', 'is not a list'],
    ['a text that is no number', 'int(reads.text) > 1', 'reads.text is not an int'],
    ['a text that is no time', 'timestamp(reads.text) < now', 'is not a timestamp'],
    [
      'a time out of range',
      'timestamp("9999-12-31T12:00:00Z") + (now - now) + duration("12h") > now',
      'outside of the years',
    ],
    ['an infinite answer', '1.0 / 0.0', 'JSON can hold'],
    ['a list of unknown items', 'reads.order.items.all(item, item > "a")', 'item is not a string'],
  ])('%s', (_, text, reason) => {
    expect(failure(text)).toContain(reason);
  });

  test('a variable that is missing or does not match its schema', () => {
    expect(failure('arguments.amount > 1', {})).toBe('arguments is not there');
    const given = (amount: Json) => ({ arguments: { amount } });
    expect(failure('arguments.amount > 1', given('4000'))).toBe('arguments.amount is not an int');
    expect(failure('arguments.amount > 1', given(1.5))).toBe('arguments.amount is not an int');
    expect(failure('arguments.amount > 1', given(null))).toBe('arguments.amount is not an int');
    expect(failure('arguments.amount > 1', given(2 ** 53))).toBe('arguments.amount is not an int');
    expect(failure('arguments.amount > 1', { arguments: [1] })).toBe('arguments is not an object');
  });

  test('a result of the wrong type that the compiler could not foresee', () => {
    const int = compileExpression('reads.amount', scope, 'int');
    expect(int.evaluate({ reads: { amount: 3 } })).toBe(3);
    for (const amount of [1.5, '3', null, true, [3]]) {
      expect(() => int.evaluate({ reads: { amount } })).toThrow(ExpressionFailure);
    }
  });

  test('one input without affecting the next', () => {
    const expression = compileExpression('reads.a == 1', scope);
    expect(() => expression.evaluate({ reads: {} })).toThrow(ExpressionFailure);
    expect(expression.evaluate({ reads: { a: 1 } })).toBe(true);
  });
});
