import {
  chmodSync,
  existsSync,
  lstatSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSocketPlace, makeRefuge, socketPlace } from '../kernel/index.ts';
import { connectKeeper } from './protocol/client.ts';
import { Scene } from './scene.fixture.ts';

/** A scene whose socket has a path of so many bytes. */
function sceneOf(bytes: number, letter = 'd'): Scene {
  const root = join(tmpdir(), 'keeper-XXXXXX', 'keeper.sock').length + 1;
  return new Scene(letter.repeat((bytes - root) / Buffer.byteLength(letter)));
}

describe("the keeper's socket", () => {
  test('is in the state directory up to a path of 100 bytes', async () => {
    await using scene = sceneOf(100);
    expect(socketPlace(scene.directory, 'keeper')).toEqual({
      path: scene.path('keeper.sock'),
      refuge: null,
    });
  });

  test('is in a separate directory from 101 bytes on', async () => {
    await using scene = sceneOf(101);
    const { path, refuge } = socketPlace(scene.directory, 'keeper');
    expect(dirname(path)).toBe(refuge);
    expect(dirname(refuge as string)).toBe(tmpdir());
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual(100);
  });

  test('is measured in bytes, not in characters', async () => {
    await using scene = new Scene('ö'.repeat(40));
    expect(socketPlace(scene.directory, 'keeper').refuge).not.toBeNull();
  });

  test('is the same through a symbolic link', async () => {
    await using scene = new Scene('d'.repeat(120));
    await using short = new Scene();
    symlinkSync(scene.directory, short.path('link'));
    expect(socketPlace(short.path('link'), 'keeper')).toEqual(
      socketPlace(scene.directory, 'keeper'),
    );
  });

  test('is private, works and is removed for a deep state directory', async () => {
    await using scene = new Scene('d'.repeat(120));
    const keeper = await scene.keeper();
    const { path, refuge } = socketPlace(scene.directory, 'keeper');
    expect(statSync(refuge as string).mode & 0o777).toBe(0o700);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(await keeper.list()).toEqual([]);
    await keeper.shutdown();
    expect(existsSync(refuge as string)).toBe(false);
  });

  test('is private for every state directory', async () => {
    await using scene = new Scene();
    await scene.keeper();
    expect(lstatSync(scene.path('keeper.sock')).mode & 0o077).toBe(0);
  });
});

describe('a directory for the socket', () => {
  test.each<[string, (refuge: string) => void, string]>([
    ['is open to other users', (refuge) => chmodSync(refuge, 0o755), 'mode'],
    [
      'is a link',
      (refuge) => replace(refuge, () => symlinkSync(tmpdir(), refuge)),
      'not a directory',
    ],
    ['is a file', (refuge) => replace(refuge, () => writeFileSync(refuge, '')), 'not a directory'],
  ])('is refused when it %s', async (_, spoil, reason) => {
    await using scene = new Scene('d'.repeat(120));
    const place = socketPlace(scene.directory, 'keeper');
    const refuge = place.refuge as string;
    makeRefuge(place);
    expect(() => checkSocketPlace(place)).not.toThrow();
    spoil(refuge);
    try {
      expect(() => checkSocketPlace(place)).toThrow(reason);
      await expect(connectKeeper(scene.directory)).rejects.toMatchObject({
        code: 'DIRECTORY_NOT_PRIVATE',
      });
    } finally {
      rmSync(refuge, { recursive: true, force: true });
    }
  });

  test('is not needed by a client that finds no keeper', async () => {
    await using scene = new Scene('d'.repeat(120));
    await expect(connectKeeper(scene.directory)).rejects.toMatchObject({
      code: 'KEEPER_UNREACHABLE',
    });
    expect(existsSync(socketPlace(scene.directory, 'keeper').refuge as string)).toBe(false);
  });
});

function replace(path: string, make: () => void): void {
  rmSync(path, { recursive: true });
  make();
}
