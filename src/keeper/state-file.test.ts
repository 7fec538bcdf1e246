import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Scene } from './scene.fixture.ts';
import { createStateWriter, type KeeperState, loadState } from './state-file.ts';

const state: KeeperState = { version: '1', savedAt: 5, boot: '', children: [], holds: [] };

function quiet(): void {}

describe('keeper.json', () => {
  test('may be missing without any report', async () => {
    await using scene = new Scene();
    expect(loadState(scene.path('keeper.json'), quiet)).toBeUndefined();
    expect(existsSync(scene.path('keeper.json.broken-1'))).toBe(false);
  });

  test.each([
    ['no content', ''],
    ['truncated content', JSON.stringify(state).slice(0, 20)],
    ['another version', JSON.stringify({ ...state, version: '2' })],
    ['an invalid child', JSON.stringify({ ...state, children: [{ pid: 1 }] })],
    ['a list', '[]'],
  ])('with %s is moved aside under a unique name', async (_, text) => {
    await using scene = new Scene();
    const events: string[] = [];
    for (const number of [1, 2]) {
      writeFileSync(scene.path('keeper.json'), text);
      const log = (_level: string, event: string) => void events.push(event);
      expect(loadState(scene.path('keeper.json'), log)).toBeUndefined();
      expect(scene.read(`keeper.json.broken-${number}`)).toBe(text);
      expect(existsSync(scene.path('keeper.json'))).toBe(false);
    }
    expect(events).toEqual(['state-broken', 'state-broken']);
  });

  test('is read back as written, with one write for all changes of one tick', async () => {
    await using scene = new Scene();
    let writes = 0;
    const path = scene.path('keeper.json');
    const writer = createStateWriter({
      path,
      state: () => ({ ...state, savedAt: ++writes }),
      isOurs: () => true,
      log: quiet,
    });
    await Promise.all([writer.save(), writer.save(), writer.save()]);
    expect(loadState(path, quiet)).toEqual({ ...state, savedAt: 1 });
    await writer.save();
    expect(loadState(path, quiet)).toEqual({ ...state, savedAt: 2 });
  });

  test('is written later when a write fails, and the failure is logged once', async () => {
    await using scene = new Scene();
    const events: string[] = [];
    const path = scene.path('keeper.json');
    const log = (_level: string, event: string) => void events.push(event);
    const writer = createStateWriter({ path, state: () => state, isOurs: () => true, log });
    // A directory in its place stands for every way in which a disk can refuse.
    mkdirSync(path);
    await writer.save();
    writer.retry();
    expect(events).toEqual(['state-not-saved']);
    rmSync(path, { recursive: true });
    writer.retry();
    expect(loadState(path, quiet)).toEqual(state);
  });

  test('is not written into a directory that another keeper owns', async () => {
    await using scene = new Scene();
    const path = scene.path('keeper.json');
    const deps = { path, state: () => state, isOurs: () => false, log: quiet };
    await createStateWriter(deps).save();
    expect(existsSync(path)).toBe(false);
  });
});
