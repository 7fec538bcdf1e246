import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** Non-stop: a time-out can stop the process again without a signal that the process would get. */
const settings = [
  'set auto-load off',
  'set auto-solib-add off',
  'set non-stop on',
  'set pagination off',
  'set confirm off',
  'set width 0',
  'set print thread-events off',
];

export class GdbTimeout extends Error {}

/** A gdb that reads no start-up files and no debug information. */
export class Gdb {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<void>;
  #output = '';
  #changed = Promise.withResolvers<void>();

  private constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child;
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#wake();
    });
    this.#ended = new Promise((resolve) => void child.once('close', () => resolve()));
    void this.#ended.then(() => this.#wake());
  }

  static async start(): Promise<Gdb> {
    const options = ['--nx', '--nh', '--quiet', '--readnever'];
    const initial = settings.flatMap((setting) => ['-iex', setting]);
    const command = `exec gdb ${[...options, ...initial].map(quote).join(' ')} 2>&1`;
    const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'ignore'], cwd: '/' });
    await once(child, 'spawn');
    return new Gdb(child);
  }

  /** Sends commands and gives what gdb prints for them. */
  async run(commands: readonly string[], timeoutMs: number): Promise<string> {
    const mark = `surety-done-${this.#child.pid}`;
    const from = this.#output.length;
    this.#child.stdin.write(`${[...commands, `echo ${mark}\\n`].join('\n')}\n`);
    await this.waitFor(new RegExp(mark), timeoutMs, from);
    return this.#output.slice(from, this.#output.indexOf(mark, from));
  }

  /** Everything that was printed so far. */
  get output(): string {
    return this.#output;
  }

  async waitFor(pattern: RegExp, timeoutMs: number, from = 0): Promise<RegExpExecArray> {
    const signal = AbortSignal.timeout(timeoutMs);
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    for (;;) {
      const match = pattern.exec(this.#output.slice(from));
      if (match) return match;
      if (this.#child.exitCode !== null) throw new GdbTimeout('gdb ended early');
      if (signal.aborted) throw new GdbTimeout(`gdb took longer than ${timeoutMs} ms`);
      await Promise.race([this.#changed.promise, aborted]);
    }
  }

  async quit(): Promise<void> {
    this.#child.stdin.end('quit\n');
    await this.#ended;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function quote(word: string): string {
  return `'${word}'`;
}
