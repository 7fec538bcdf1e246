import { describe, expect, test } from 'vitest';
import { gateLimits } from '../../gate/limits.ts';
import { gateOperations } from './gate-operations.ts';

const { body } = gateOperations['POST /v1/grants'];
const takes = (more: object): boolean =>
  body.safeParse({ tool: 'pay', audience: 'shop', arguments: {}, ...more }).success;

describe('a text that a caller puts into a grant', () => {
  test.each(['audience', 'task'])('is limited in length: %s', (name) => {
    expect(takes({ [name]: 'x'.repeat(gateLimits.grantTextCharsMax) })).toBe(true);
    expect(takes({ [name]: 'x'.repeat(gateLimits.grantTextCharsMax + 1) })).toBe(false);
    expect(takes({ [name]: '' })).toBe(false);
  });
});
