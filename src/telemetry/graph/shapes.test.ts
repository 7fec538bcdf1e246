import { describe, expect, test } from 'vitest';
import { gatherShapes, shapeDifferences, shapeKey } from './shapes.ts';

const seen = (response: object | string, lane = 'baseline', call = 'POST /quotes') => ({
  caller: 'orders',
  callee: 'pricing',
  lane,
  call,
  request_shape: '',
  response_shape: typeof response === 'string' ? response : JSON.stringify(response),
});

const edge = (lane: string) => shapeKey({ caller: 'orders', callee: 'pricing', lane });

describe('the payload shape of a call', () => {
  test('merges all observations of the call', () => {
    const shapes = gatherShapes([
      seen({ '': ['object'], amount: 'number' }),
      seen({ '': ['object'], amount: ['null', 'number'], note: ['string'] }),
    ]);
    expect(shapes.get(edge('baseline'))).toEqual([
      {
        call: 'POST /quotes',
        request: {},
        response: { '': ['object'], amount: ['null', 'number'], note: ['string'] },
      },
    ]);
  });

  test('differs in a lane by fields that are new, missing or of another type', () => {
    const shapes = gatherShapes([
      seen({ amount: ['number'], fee: ['number'], kept: ['string'] }),
      seen({ amount: ['string'], more: ['boolean'], kept: ['string'] }, 'lane_a'),
    ]);
    const of = (lane: string) => shapes.get(edge(lane)) ?? [];
    expect(shapeDifferences(of('lane_a'), of('baseline'))).toEqual([
      'POST /quotes response: amount was number, is string',
      'POST /quotes response: fee is gone (was number)',
      'POST /quotes response: more is new (boolean)',
    ]);
    expect(shapeDifferences(of('baseline'), of('baseline'))).toEqual([]);
  });

  test('is not compared when one side was never observed', () => {
    const shapes = gatherShapes([
      seen({ amount: ['number'] }, 'lane_a'),
      seen('', 'baseline'),
      seen({ other: ['number'] }, 'baseline', 'GET /quotes'),
    ]);
    const of = (lane: string) => shapes.get(edge(lane)) ?? [];
    expect(shapeDifferences(of('lane_a'), of('baseline'))).toEqual([]);
  });
});
