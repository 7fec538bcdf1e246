import {
  DocumentText,
  type EnvironmentVariables,
  readText,
  showMistake,
} from '../document/index.ts';
import { fault, sharedLimits } from '../kernel/index.ts';
import { type Config, complete } from './complete.ts';
import { meaningProblems } from './meaning.ts';
import { configSchema } from './schema.ts';

/** Reads surety.yaml. Every mistake is told at once, each with its place. */
export function readConfig(path: string, environment: EnvironmentVariables): Config {
  return parseConfig(readFile(path), { path, environment });
}

/** What a directory without surety.yaml gets. */
export function defaultConfig(): Config {
  return complete(configSchema.parse({}));
}

export function parseConfig(
  text: string,
  { path, environment }: { path: string; environment: EnvironmentVariables },
): Config {
  const file = new DocumentText(text);
  const mistakes = file.syntaxMistakes();
  if (mistakes.length === 0) mistakes.push(...file.fillIn(environment));
  if (mistakes.length === 0) {
    const { data, error } = configSchema.safeParse(file.value());
    mistakes.push(
      ...(error
        ? file.schemaMistakes(error, configSchema)
        : meaningProblems(data).map((problem) => file.mistakeAt(problem))),
    );
    if (data && mistakes.length === 0) return complete(data);
  }
  throw fault('CONFIG_INVALID', {
    path,
    count: mistakes.length,
    mistakes: mistakes.map((mistake) => showMistake(path, mistake)).join('\n'),
  });
}

function readFile(path: string): string {
  try {
    return readText(path, sharedLimits.configBytesMax);
  } catch (error) {
    throw fault('CONFIG_UNREADABLE', { path, reason: (error as Error).message }, error);
  }
}
