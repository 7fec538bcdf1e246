import { closeSync, mkdirSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sharedLimits } from '../../kernel/index.ts';
import { Scene } from '../scene.fixture.ts';
import { openLogFile, trimLogFile } from './log-file.ts';

const lineBytes = 64;
const count = sharedLimits.logFileBytesMax / lineBytes + 1;
const numbered = Array.from(
  { length: count },
  (_, number) => `${String(number).padStart(lineBytes - 1, '.')}\n`,
).join('');

/** The end of numbered lines, `bytes` in all. */
function lines(bytes: number): string {
  return numbered.slice(numbered.length - bytes);
}

describe('a log file', () => {
  test('is left alone up to the limit', async () => {
    await using scene = new Scene();
    const path = scene.path('child.log');
    writeFileSync(path, lines(sharedLimits.logFileBytesMax));
    expect(trimLogFile(path)).toBe(false);
    expect(statSync(path).size).toBe(sharedLimits.logFileBytesMax);
  });

  test('is cut to the complete lines of its newer half one byte above the limit', async () => {
    await using scene = new Scene();
    const path = scene.path('child.log');
    const text = lines(sharedLimits.logFileBytesMax + 1);
    writeFileSync(path, text);
    expect(trimLogFile(path)).toBe(true);
    const kept = scene.read('child.log');
    expect(kept.length).toBeLessThanOrEqual(sharedLimits.logFileBytesMax / 2);
    expect(kept.length).toBeGreaterThan(sharedLimits.logFileBytesMax / 2 - lineBytes);
    expect(text.endsWith(`\n${kept}`)).toBe(true);
  });

  test('continues after the cut for a writer that holds it open', async () => {
    await using scene = new Scene();
    const path = scene.path('logs/child.log');
    const descriptor = openLogFile(path);
    writeSync(descriptor, lines(sharedLimits.logFileBytesMax + 1));
    trimLogFile(path);
    const { size } = statSync(path);
    writeSync(descriptor, 'the next line\n');
    closeSync(descriptor);
    expect(statSync(path).size).toBe(size + 'the next line\n'.length);
    expect(scene.read('logs/child.log').endsWith('\nthe next line\n')).toBe(true);
  });

  test('without any line break is cut as well', async () => {
    await using scene = new Scene();
    const path = scene.path('child.log');
    writeFileSync(path, 'x'.repeat(sharedLimits.logFileBytesMax + 1));
    expect(trimLogFile(path)).toBe(true);
    expect(statSync(path).size).toBe(sharedLimits.logFileBytesMax / 2);
  });

  test('is left alone when it is missing', async () => {
    await using scene = new Scene();
    expect(trimLogFile(scene.path('none.log'))).toBe(false);
  });

  test('must be a regular file', async () => {
    await using scene = new Scene();
    mkdirSync(scene.path('child.log'));
    expect(() => openLogFile(scene.path('child.log'))).toThrow('not a regular file');
  });
});
