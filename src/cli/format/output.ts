import { styleText } from 'node:util';
import { type Fault, redactText, systemRandom } from '../../kernel/index.ts';
import { nameCommands } from './command-names.ts';
import { visible, visibleLines } from './visible.ts';

export type Tone = 'good' | 'bad' | 'dim' | 'bold' | 'warn';

const styles = { good: 'green', bad: 'red', dim: 'dim', bold: 'bold', warn: 'yellow' } as const;

/** All output of a command: sentences for people or JSON for scripts, never both. */
export interface Output {
  readonly json: boolean;
  /** For people; nothing under --json. */
  line(text: string): void;
  /** For scripts; nothing without --json. One value per line. */
  value(value: unknown): void;
  /** The bytes of a document, in both modes. */
  raw(text: string): Promise<void>;
  fault(fault: Fault): void;
  /** Progress of long work: overwritten in place on a terminal, elsewhere a line now and then. */
  progress(text: string): void;
  tone(tone: Tone, text: string): string;
  /** Empties the screen, if there is one. */
  clear(): void;
}

export type OutputStreams = Readonly<
  Record<'stdout' | 'stderr', NodeJS.WritableStream & { readonly isTTY?: boolean }>
>;

/**
 * Colours while a text is made. Only this process knows the mark, so that no text of others can
 * bring a colour or any other escape sequence along.
 */
const mark = `⟦${Buffer.from(systemRandom(8)).toString('hex')}:`;
const marks = new RegExp(`${mark}([a-z]+):([01])⟧`, 'g');

/** All text for a terminal passes here: it shows what others wrote, and never obeys it. */
function forTerminal(text: string): string {
  return visibleLines(text).replace(marks, (_, name: Tone, isEnd: string) => {
    const [start = '', end = ''] = styleText(styles[name], ' ', { validateStream: false }).split(
      ' ',
    );
    return isEnd === '1' ? end : start;
  });
}

/** How often progress is written where it cannot be overwritten. */
const logProgressEveryMs = 10_000;

/** In the log of a CI job, so that long silence does not look like a hang. */
function progressLog(write: (line: string) => void): (text: string) => void {
  let logged = { text: '', at: performance.now() };
  return (text) => {
    const now = performance.now();
    if (text === logged.text || now - logged.at < logProgressEveryMs) return;
    logged = { text, at: now };
    write(`${visible(text)}\n`);
  };
}

export function createOutput(json: boolean, { stdout, stderr }: OutputStreams = process): Output {
  // Colour only on a terminal: Node also respects NO_COLOR and FORCE_COLOR here.
  const tone = (name: Tone, text: string): string =>
    styleText(styles[name], text, { stream: stdout }) === text
      ? text
      : `${mark}${name}:0⟧${text}${mark}${name}:1⟧`;
  let progressShown = false;
  const clearProgress = (): void => {
    if (progressShown) stderr.write('\r\x1b[K');
    progressShown = false;
  };
  const logProgress = progressLog((line) => void stderr.write(line));
  // JSON with escapes in place of characters that a terminal would obey is the same JSON.
  const writeJson = (value: unknown): void =>
    void stdout.write(`${visible(JSON.stringify(value))}\n`);
  return {
    json,
    tone,
    line(text) {
      clearProgress();
      if (!json) stdout.write(`${forTerminal(text)}\n`);
    },
    value(value) {
      clearProgress();
      if (json) writeJson(value);
    },
    async raw(text) {
      const shown = stdout.isTTY ? forTerminal(text) : text;
      if (!stdout.write(shown)) await new Promise((resolve) => stdout.once('drain', resolve));
    },
    fault(fault) {
      clearProgress();
      if (json) {
        writeJson({ fault: fault.report() });
        return;
      }
      const code = styleText('red', `error ${fault.code}`, { stream: stderr });
      // A fault may repeat text of a service: a value that is not a number, a header.
      const message = forTerminal(redactText(fault.message));
      stderr.write(`${code}  ${message}\n  try  ${forTerminal(nameCommands(fault.remedy))}\n`);
      if (process.env.SURETY_DEBUG && fault.cause instanceof Error) {
        stderr.write(`${forTerminal(String(fault.cause.stack))}\n`);
      }
    },
    progress(text) {
      if (json) return;
      if (!stderr.isTTY) return logProgress(text);
      stderr.write(`\r\x1b[K${visible(text)}`);
      progressShown = true;
    },
    clear() {
      if (!json && stdout.isTTY) stdout.write('\x1b[2J\x1b[H');
    },
  };
}
