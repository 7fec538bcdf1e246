import { expect, test } from 'vitest';
import { roundDown, roundUp, Sketch } from './sketch.ts';

test.each([
  [0, 0, 0],
  [1, 1, 1],
  [7, 5, 10],
  [120, 100, 200],
  [8_700, 5_000, 10_000],
  [0.3, 0, 1],
  [-7, -10, -5],
])('rounds %d down to %d and up to %d', (value, down, up) => {
  expect([roundDown(value), roundUp(value)]).toEqual([down, up]);
});

test('sketches texts as a choice only after enough observations', () => {
  const seen = (times: number): unknown => {
    const sketch = new Sketch();
    for (let index = 0; index < times; index++) sketch.add(index % 2 === 0 ? 'a' : 'b');
    return sketch.schema();
  };
  expect(seen(9)).toEqual({ type: 'string', maxLength: 1 });
  expect(seen(10)).toEqual({ type: 'string', enum: ['a', 'b'] });
});
