import { spawn } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatMark, markVariable, newInstance, parseMark } from '../children/mark.ts';
import { Scene, until, untilGone } from '../scene.fixture.ts';
import { hasProc, listMarked, listMarkedProcesses, readMark, readStat } from './processes.ts';

const mark = { keeper: '0123456789abcdef', name: 'lane-1:orders', instance: newInstance() };

describe('the mark of a process', () => {
  test('is parsed as it was formatted', () => {
    expect(parseMark(formatMark(mark))).toEqual(mark);
  });

  test.each(['', 'a/b/c', formatMark({ ...mark, name: '' }), `${formatMark(mark)}/more`])(
    'is not found in "%s"',
    (text) => expect(parseMark(text)).toBeUndefined(),
  );
});

describe.runIf(hasProc)('reading /proc', () => {
  test('gives the start time of a process, whatever its program is called', async () => {
    await using scene = new Scene();
    const program = scene.path('a) S 1 (b');
    copyFileSync('/bin/sleep', program);
    const child = spawn(program, ['100']);
    const plain = readStat(process.pid);
    const stat = readStat(child.pid as number);
    child.kill('SIGKILL');
    expect(stat?.startTicks).toBeGreaterThanOrEqual(plain?.startTicks as number);
    await until('it was taken notice of', () => child.signalCode);
    expect(readStat(child.pid as number)).toBeUndefined();
  });

  test('finds the mark of a process and of its descendants only', async () => {
    await using scene = new Scene();
    const pid = scene.stray('orders');
    await until('it is there', () => readMark(pid));
    expect(readMark(pid)).toMatchObject({ keeper: scene.keeperId, name: 'orders' });
    expect(listMarked(scene.keeperId).map((found) => found.pid)).toEqual([pid]);
    expect(listMarkedProcesses(scene.directory)).toEqual([{ pid, name: 'orders' }]);
    expect(listMarked('f'.repeat(16))).toEqual([]);
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    expect(readMark(pid)).toBeUndefined();
  });

  test("ignores a variable whose name merely ends like the mark's", async () => {
    const env = { PATH: process.env.PATH, [`X${markVariable}`]: formatMark(mark) };
    const child = spawn('sleep', ['100'], { env });
    const seen = readMark(child.pid as number);
    child.kill('SIGKILL');
    expect(seen).toBeUndefined();
  });
});
