import { styleText } from 'node:util';
import { type Fault, redactText } from '../../kernel/index.ts';
import { visibleLines } from './visible.ts';

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
  /** Progress of long work: on a terminal only, overwritten in place. */
  progress(text: string): void;
  tone(tone: Tone, text: string): string;
}

export type OutputStreams = Readonly<
  Record<'stdout' | 'stderr', NodeJS.WritableStream & { readonly isTTY?: boolean }>
>;

export function createOutput(json: boolean, { stdout, stderr }: OutputStreams = process): Output {
  // Colour only on a terminal: Node also respects NO_COLOR and FORCE_COLOR here.
  const tone = (name: Tone, text: string): string =>
    styleText(styles[name], text, { stream: stdout });
  let progressShown = false;
  const clearProgress = (): void => {
    if (progressShown) stderr.write('\r\x1b[K');
    progressShown = false;
  };
  return {
    json,
    tone,
    line(text) {
      clearProgress();
      if (!json) stdout.write(`${text}\n`);
    },
    value(value) {
      clearProgress();
      if (json) stdout.write(`${JSON.stringify(value)}\n`);
    },
    async raw(text) {
      if (!stdout.write(text)) await new Promise((resolve) => stdout.once('drain', resolve));
    },
    fault(fault) {
      clearProgress();
      if (json) {
        stdout.write(`${JSON.stringify({ fault: fault.report() })}\n`);
        return;
      }
      const code = styleText('red', `error ${fault.code}`, { stream: stderr });
      // A fault may repeat text of a service: a value that is not a number, a header.
      const message = visibleLines(redactText(fault.message));
      stderr.write(`${code}  ${message}\n  try  ${visibleLines(fault.remedy)}\n`);
      if (process.env.SURETY_DEBUG && fault.cause instanceof Error) {
        stderr.write(`${fault.cause.stack}\n`);
      }
    },
    progress(text) {
      if (json || !stderr.isTTY) return;
      stderr.write(`\r\x1b[K${text}`);
      progressShown = true;
    },
  };
}
