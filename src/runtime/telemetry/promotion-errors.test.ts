import { expect, test } from 'vitest';
import { errorsQuery } from './promotion-errors.ts';

const minute = 60_000;
const watched = {
  commit: 'new',
  base: 'old',
  services: ['orders', "o'hara"],
  task: null,
  promotedAt: 10 * minute,
  since: 10 * minute,
  until: 12 * minute,
};

test.each([
  ['during the watch', 11 * minute, '00:11:00.000', '00:09:00.000'],
  ['at its end', 12 * minute, '00:12:00.000', '00:08:00.000'],
  ['while it is held', 13 * minute, '00:13:00.000', '00:07:00.000'],
  ['hours later', 300 * minute, '00:14:00.000', '00:06:00.000'],
])(
  'counts the errors of a promotion while it is watched or held, when queried %s',
  (_, now, end, before) => {
    const sql = errorsQuery(watched, now);
    expect(sql).toContain(`time <= TIMESTAMP '1970-01-01 ${end}'`);
    expect(sql).toContain(`time >= TIMESTAMP '1970-01-01 ${before}'`);
    expect(sql).toContain("IN ('orders', 'o''hara')");
  },
);
