import { describe, expect, test } from 'vitest';
import type { Client } from '../http/index.ts';
import { listTools, usableTools } from './list-tools.ts';
import { tools } from './tools/index.ts';

const always = Object.keys(tools).filter((name) => tools[name]?.needs === undefined);

describe('the list of tools', () => {
  test.each([
    [[], 0, []],
    [[], 1, ['list_contracts', 'get_contract', 'propose', 'check_plan']],
    [['task.open'], 0, ['open_task', 'get_task', 'list_tasks']],
    [['lane.close'], 0, ['close_lane']],
    [['ledger.shred'], 0, []],
  ])(
    'of an agent with %j and %i contracts has, in addition to the common tools, %j',
    (natives, contracts, more) => {
      const usable = usableTools({ natives, contracts: Array.from({ length: contracts }) });
      expect(usable.filter((name) => !always.includes(name))).toEqual(more);
      expect(usable).toEqual(expect.arrayContaining(always));
    },
  );

  test('is complete while no daemon answers', async () => {
    const connect = (): Client => {
      throw new Error('no daemon');
    };
    expect((await listTools(connect)).map(({ name }) => name)).toEqual(Object.keys(tools));
  });
});
