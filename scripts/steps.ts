import { spawn } from 'node:child_process';

export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Shown live, for steps that take long; others are shown only when they fail. */
  readonly live?: boolean;
}

export interface StepResult {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** Runs a step with the project's own tools first on the PATH. */
export async function runStep({ name, command, live }: Step): Promise<StepResult> {
  const started = performance.now();
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment() });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk;
    if (live) process.stdout.write(chunk);
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      output += error.message;
      resolve(1);
    });
    child.on('close', resolve);
  });
  const seconds = (performance.now() - started) / 1_000;
  return { name, ok: code === 0, seconds, output };
}

/** Says how each went; gives the results when all are done. */
export async function runSteps(steps: readonly Step[], atOnce = 1): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const waiting = [...steps];
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const result = await runStep(step);
      results.push(result);
      const mark = result.ok ? '✓' : '✗';
      say(`${mark} ${result.name} (${result.seconds.toFixed(1)} s)`);
      if (!result.ok && !step.live) say(result.output);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' };
}
