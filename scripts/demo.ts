import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say } from './steps.ts';

/**
 * `npm run demo`: what Surety does today, done for real. Every line below a command is that
 * command's own output; a step that does not do what it says ends the demo with an error.
 */
const surety = fileURLToPath(new URL('../bin/surety.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'surety-demo-'));
const started = performance.now();
const clients = 50;

try {
  await play();
} finally {
  spawnSync(process.execPath, [surety, 'down', '-C', directory]);
  rmSync(directory, { recursive: true });
}
say(
  `\nDone in ${((performance.now() - started) / 1_000).toFixed(1)} s; nothing is left running. Next:`,
);
say('  npx surety up             the same in a directory of your own');
say('  npx surety --help         everything it can do');
say('  docs/ledger.md            what the ledger promises, and how to check it');

async function play(): Promise<void> {
  step('Start the keeper and the daemon. Their state is in .surety/.');
  run('up');

  step(
    'Have an effect: it is granted, executed and settled, and each step is durable before the next.',
  );
  run('ledger', 'note', 'deployed pricing 1.4 by hand', '--key', 'deploy-1.4');

  step('Retry it with the same key: the recorded outcome comes back, nothing happens twice.');
  run('ledger', 'note', 'deployed pricing 1.4 by hand', '--key', 'deploy-1.4');
  step('The same key for something else is refused, with a remedy.');
  run({ code: 1 }, 'ledger', 'note', 'deployed pricing 1.5', '--key', 'deploy-1.4');

  step('Kill the daemon in the middle of 300 effects.');
  await killDuring(300);
  run({ code: 1 }, 'status');

  step('Start again: what was interrupted is marked unknown, never repeated blindly.');
  run({ most: 5 }, 'up');
  step('Every acknowledged entry is there, the chain is whole, and all state follows from it.');
  run('ledger', 'verify');
  run('ledger', 'rebuild');

  step('Forget somebody: contents are destroyed, the chain still verifies.');
  run('ledger', 'note', 'called about her refund', '--subject', 'customer:ada');
  run('ledger', 'shred', 'customer:ada', '--yes');
  run('ledger', 'verify');

  step('Take the ledger along: it verifies anywhere with the file and a public key.');
  const file = join(directory, 'ledger.jsonl');
  run('ledger', 'export', '--file', file);
  run('ledger', 'verify', '--file', file, '--key', join(directory, 'ledger.pub.pem'));

  step('Stop everything, then change one byte of the database: verification names the entry.');
  run('down');
  flipOneByte(join(directory, '.surety', 'ledger.db'), 'deployed pricing 1.4 by hand');
  run({ code: 1 }, 'ledger', 'verify');
}

function step(text: string): void {
  say(`\n${text}`);
}

interface Expectation {
  /** The exit code that this step is about. */
  readonly code?: number;
  /** How many lines of the output to show. */
  readonly most?: number;
}

function run(...words: [Expectation, ...string[]] | string[]): void {
  const [first, ...rest] = words;
  const { code = 0, most = 20 } = typeof first === 'object' ? first : {};
  const given = typeof first === 'object' ? rest : (words as string[]);
  say(
    `  $ surety ${(given as string[]).map((word) => (/[\s"]/.test(word) ? `"${word}"` : word)).join(' ')}`,
  );
  const args = [surety, ...(given as string[]), '-C', directory];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const lines = `${stdout}${stderr}`.trimEnd().split('\n');
  for (const line of lines.slice(0, most)) say(`    ${line}`);
  if (lines.length > most) say(`    … and ${lines.length - most} more lines like these`);
  if (status !== code)
    throw new Error(`surety ${given.join(' ')} ended with ${status}, not ${code}`);
}

/** Real clients over HTTP; the daemon is killed when a third of the effects is acknowledged. */
async function killDuring(count: number): Promise<void> {
  const { port, pid } = JSON.parse(readFileSync(join(directory, '.surety', 'daemon.json'), 'utf8'));
  const token = readFileSync(join(directory, '.surety', 'token'), 'utf8').trim();
  let next = 0;
  let acknowledged = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      const response = await fetch(`http://127.0.0.1:${port}/v1/notes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'idempotency-key': `burst-${index}` },
        body: JSON.stringify({ text: `effect ${index}` }),
      });
      // A moment later, when the next effects are under way.
      if (response.ok && ++acknowledged === Math.floor(count / 3)) {
        setTimeout(() => process.kill(pid, 'SIGKILL'), 2);
      }
    }
  };
  await Promise.allSettled(Array.from({ length: clients }, client));
  say(`  kill -9 ${pid}`);
  say(`    ${acknowledged} effects were acknowledged; the other clients lost their connection`);
}

function flipOneByte(path: string, text: string): void {
  const offset = readFileSync(path).indexOf(text);
  if (offset < 0) throw new Error('the text is not in the database file');
  const descriptor = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(descriptor, byte, 0, 1, offset);
  writeSync(descriptor, Buffer.from([(byte[0] as number) ^ 1]), 0, 1, offset);
  closeSync(descriptor);
  say(`  one bit of byte ${offset} of ledger.db is flipped`);
}
