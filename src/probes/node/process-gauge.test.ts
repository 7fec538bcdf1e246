import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { readNetwork } from '../target/sockets.ts';
import { openProcessGauge } from './process-gauge.ts';

const mb = 1024 * 1024;

/** Throws away 20 MB and keeps 5 MB, half of it outside of the heap, whenever it is told to. */
const program = `
const kept = [];
process.stdin.on('data', (text) => {
  if (String(text) === 'loop') return console.log(typeof process[Symbol.for('surety.loop')]);
  for (let n = 0; n < 200; n++) Buffer.alloc(100 * 1024);
  kept.push(Buffer.alloc(2.5 * 1024 * 1024), new Array(2.5 * 128 * 1024).fill(1.5));
  console.log('done');
});
console.log('there');
`;

test('the gauge measures live memory without garbage and leaves the process unchanged', async () => {
  const child = spawn(process.execPath, ['--inspect-port=0', '-e', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    await once(child.stdout, 'data');
    const gauge = await openProcessGauge([child.pid as number, 2 ** 30]);
    const before = (await gauge?.read())?.heldBytes ?? 0;
    const still = (await gauge?.read())?.heldBytes ?? 0;
    child.stdin.write('more');
    await once(child.stdout, 'data');
    const after = (await gauge?.read())?.heldBytes ?? 0;
    expect(Math.abs(still - before)).toBeLessThan(mb / 2);
    expect(after - still).toBeGreaterThan(4 * mb);
    expect(after - still).toBeLessThan(7 * mb);
    const isWatched = async (): Promise<string> => {
      child.stdin.write('loop');
      return `${(await once(child.stdout, 'data'))[0]}`.trim();
    };
    expect(await isWatched()).toBe('object');
    await gauge?.close();
    expect(await isWatched()).toBe('undefined');
    const { own } = await readNetwork(child.pid as number);
    expect(own.filter(({ state }) => state === 'listening')).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('the gauge does not ask a process that is not Node', async () => {
  const child = spawn('sleep', ['30']);
  try {
    await once(child, 'spawn');
    expect(await openProcessGauge([child.pid as number])).toBeNull();
  } finally {
    child.kill('SIGKILL');
  }
});
