import { EffectList } from '../effect.ts';
import type { FileFacts } from './file-facts.ts';
import { Interpreter } from './interpreter.ts';
import { normalize } from './path.ts';
import { firstVariables, Scope } from './scope.ts';

export interface CommandPlace {
  readonly directory: string;
  readonly home: string;
  /** The directory of the project that the agent works on. */
  readonly project: string;
}

/** What a shell command would do, without running any of it. */
export function analyzeCommand(command: string, place: CommandPlace, files: FileFacts): EffectList {
  const { directory, home, project } = place;
  const effects = new EffectList();
  const interpreter = new Interpreter({ home, project, files, effects });
  const scope = new Scope([normalize(directory)], firstVariables(home, directory));
  interpreter.script(command, scope);
  return effects;
}
