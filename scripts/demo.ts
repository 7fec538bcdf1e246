import { spawn, spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '../tests/harness/postgres/postgres.ts';
import { badPatch, makeDemoRepository } from './demo-system.ts';
import { say as print } from './steps.ts';

/**
 * `npm run demo`: one proposal all the way, on a real running system. Every line below a command is
 * that command's own output; a step that does not do what it says ends the demo with an error.
 */
const surety = fileURLToPath(new URL('../bin/surety.js', import.meta.url));
const agent = fileURLToPath(new URL('../examples/trading/agent/main.ts', import.meta.url));
const started = performance.now();
const recorded: string[] = [];

const introduction = `# A recorded run of the demo

Run it yourself with \`npm run demo\`. It takes about 90 seconds, brings its own PostgreSQL, and leaves nothing running. You
see an agent change a running system: a change that would break another service gets the verdict \`fail\`, and the agent
repairs it. Then a bad version causes an incident, and Surety finds the cause with probes.

Below is one run, recorded by \`npm run demo -- --record\`. Each line below a command is that command's own output. Long
answers to the agent are cut at 200 characters.`;

const columns = 200;

const shorten = (line: string): string =>
  line.length > columns ? `${line.slice(0, columns)} …` : line;

/** Entries of the agent's steps; grants and lanes in between are left out here. */
const storyKinds =
  /task-opened|proposal-denied|test-proven|change-admitted|verdict-reached|change-promoted/;

async function play(): Promise<void> {
  step('Start Surety and the system: five services, from the committed version.');
  await run(['up']);
  await run(['system', 'up']);

  step('An agent works on a task over MCP. It knows only the answers that it gets.');
  await runAgent();
  step('The ledger records what the agent did and what it was answered.');
  await run(['ledger', 'tail', '-n', '400'], { only: storyKinds });

  step('An incident: the demo promotes a bad version by hand, without a verdict.');
  const bad = join(directory, 'bad.patch');
  writeFileSync(bad, badPatch(directory));
  await run(['promote', bad, '--reason', 'set-up of the demo']);
  step('Customers trade. No service throws, but a metric rises.');
  await traffic();
  await run(['alerts'], { code: 1, until: 1 });

  step('Find the cause: read-only probes in the bad version and in the version before it.');
  const remedy = join(directory, 'remedy.patch');
  await run(['investigate', 'high-value-mismatch', '--remedy', remedy]);
  step('The remedy is a proposal like any other.');
  await run(['promote', remedy, '--reason', 'remedy of the investigation']);
  await run(['system', 'status']);

  step('Every decision can be repeated, and nobody has changed the ledger.');
  await run(['ledger', 'replay']);
  await run(['ledger', 'verify']);
  await run(['ledger', 'rebuild']);
  await run(['down']);
}

function say(text: string): void {
  recorded.push(text);
  print(text);
}

/** `npm run demo -- --record` keeps what was just shown as docs/demo.md. */
function record(): void {
  const shown = recorded.join('\n').replaceAll(directory, '~/trading');
  const text = `${introduction}\n\n\`\`\`text\n${shown.trim()}\n\`\`\`\n`;
  writeFileSync(new URL('../docs/demo.md', import.meta.url), text);
}

function step(text: string): void {
  say(`\n${text}`);
}

interface Expectation {
  /** The exit code that this step is about. */
  readonly code?: number;
  /** Asked again until it ends with this code. */
  readonly until?: number;
  /** Which lines of the output to show. */
  readonly only?: RegExp;
}

async function run(
  words: string[],
  { code = 0, until, only = /./ }: Expectation = {},
): Promise<void> {
  say(`  $ surety ${words.map((word) => (/[\s"]/.test(word) ? `"${word}"` : word)).join(' ')}`);
  const deadline = performance.now() + 20_000;
  let ended = await execute([surety, ...words, '-C', directory]);
  while (until !== undefined && ended.code !== until && performance.now() < deadline) {
    ended = await execute([surety, ...words, '-C', directory]);
  }
  for (const line of ended.lines) if (only.test(line)) say(`    ${line}`);
  if (ended.code !== code) throw new Error(`surety ${words.join(' ')} ended with ${ended.code}`);
}

async function runAgent(): Promise<void> {
  const server = [process.execPath, surety, 'mcp', '--agent', 'coder', '-C', directory];
  const more = { SURETY_MCP: JSON.stringify(server) };
  say('  $ node examples/trading/agent/main.ts');
  const { code } = await execute([agent], more, (line) => say(`    ${shorten(line)}`));
  if (code !== 0) throw new Error(`the agent ended with ${code}`);
}

async function traffic(): Promise<void> {
  const words = ['traffic/main.ts', '--rate', '20', '--count', '60'];
  const more = {
    BASE_URL: 'http://127.0.0.1:4300',
    TOKEN: 'trader-token',
    EXPIRED_TOKEN: 'expired-token',
  };
  say(`  $ node ${words.join(' ')}`);
  const { lines } = await execute(words, more);
  for (const line of lines) say(`    ${shorten(line)}`);
}

/** Runs Node with the demo's directory and database; its lines as they come. */
function execute(
  words: string[],
  more: Record<string, string> = {},
  onLine: (line: string) => void = () => undefined,
): Promise<{ code: number | null; lines: string[] }> {
  const env = { ...environment, ...more };
  const child = spawn(process.execPath, words, {
    cwd: directory,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const collect = (line: string): void => {
    lines.push(line);
    onLine(line);
  };
  createInterface({ input: child.stdout }).on('line', collect);
  createInterface({ input: child.stderr }).on('line', collect);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, lines })));
}

/** Whatever ends the demo, nothing of it stays behind; PostgreSQL goes with this process. */
function cleanUp(): void {
  spawnSync(process.execPath, [surety, 'down', '-C', directory], { env: environment });
  rmSync(directory, { recursive: true, force: true });
}

function cutOff(error: unknown): void {
  if (error instanceof Error) say(String(error.stack));
  cleanUp();
  process.exit(1);
}

say('Setting up: PostgreSQL, and the trading example as a repository of its own …');
const postgres = await startPostgres();
const directory = makeDemoRepository();
const environment = { ...process.env, DATABASE_URL: await postgres.createDatabase() };
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, cutOff);
process.stdout.on('error', cutOff);
process.on('uncaughtException', cutOff);
try {
  await play();
} finally {
  cleanUp();
  await postgres.stop();
}
const seconds = ((performance.now() - started) / 1_000).toFixed(0);
say(`\nDone in ${seconds} s; nothing is left running. What to try next:`);
say('  npx surety --help            all commands');
say('  examples/trading/README.md   the system of this demo, and its agent');
say('  docs/ledger.md               the ledger, and how to verify it');
if (process.argv.includes('--record')) record();
