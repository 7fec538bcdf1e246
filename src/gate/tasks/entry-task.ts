import type { JsonObject } from '../../kernel/index.ts';

/** Entries store the task of a proposal as `about`. */
export function taskOf(body: JsonObject): string | undefined {
  return body.about === undefined ? undefined : String(body.about);
}

export function taskFact(task: string | undefined): JsonObject {
  return task === undefined ? {} : { about: task };
}
