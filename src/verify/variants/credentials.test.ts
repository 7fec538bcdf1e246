import { describe, expect, test } from 'vitest';
import { credentialsLike } from './credentials.ts';

const bearer = (token: string) => ['authorization', `Bearer ${token}`] as const;

describe('credentials like those that are known', () => {
  const texts = ['bob-token', 'carla-token', 'alice', 'token', 'sk_live_77', 'x'.repeat(90)];

  test('are words of the changed files that end or begin like one', () => {
    expect(credentialsLike([bearer('bob-token')], texts)).toEqual([bearer('carla-token')]);
    const key = ['x-api-key', 'sk_test_1'] as const;
    expect(credentialsLike([key], texts)).toEqual([['x-api-key', 'sk_live_77']]);
  });

  test('are none where nothing is alike, and few where much is', () => {
    expect(credentialsLike([bearer('e3b0c44298fc1c14')], texts)).toEqual([]);
    const many = Array.from({ length: 20 }, (_, n) => `user${n}-token`);
    expect(credentialsLike([bearer('bob-token')], many)).toHaveLength(4);
  });
});
