import { type EnvironmentVariables, fillText } from '../../../document/index.ts';
import { fault } from '../../../kernel/index.ts';
import type { RunnerSpec } from './compiled.ts';

/**
 * The runner of a tool with `${NAME}` from the environment. It may hold secrets, so do not store
 * it.
 */
export function fillRunner(
  tool: string,
  runner: RunnerSpec,
  environment: EnvironmentVariables,
): RunnerSpec {
  const fill = (text: string): string => {
    const { text: filled, missing } = fillText(text, environment);
    const [name] = missing;
    if (name !== undefined) throw fault('RUNNER_VARIABLE_MISSING', { tool, name });
    return filled;
  };
  if (runner.kind === 'command') return { ...runner, command: runner.command.map(fill) };
  const headers = Object.entries(runner.headers).map(([name, value]) => [name, fill(value)]);
  return { ...runner, url: fill(runner.url), headers: Object.fromEntries(headers) };
}
