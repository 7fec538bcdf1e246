import { expect, test } from 'vitest';
import { pathOf } from './data-paths.ts';

test.each<[string, string | undefined]>([
  ['redis+unix:///srv/shop/redis.sock', '/srv/shop'],
  ['redis+unix:///run/redis.sock', '/run/redis.sock'],
  ['postgres:///shop?host=/srv/shop', '/srv/shop'],
  ['postgres:///shop?host=/tmp', '/tmp/.s.PGSQL.5432'],
  ['postgres:///shop?host=/tmp/&port=5433', '/tmp/.s.PGSQL.5433'],
  ['postgres://db.example/shop', undefined],
])('shows a program with the address %s only %s', (address, path) => {
  expect(pathOf(address)).toBe(path);
});
