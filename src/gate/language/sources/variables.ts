import type { Problem } from '../../../document/index.ts';
import type { Json, JsonObject } from '../../../kernel/index.ts';
import { didYouMean } from '../compile/compilation.ts';
import { valueShape } from '../compile/scopes.ts';

export interface Environments {
  readonly [name: string]: { readonly variables?: JsonObject };
}

/** The variables of one document, with the values of the chosen environment. */
export function chosenVariables(
  { variables = {}, environments = {} }: { variables?: JsonObject; environments?: Environments },
  name: string | undefined,
): JsonObject {
  const chosen = name !== undefined && Object.hasOwn(environments, name) ? environments[name] : {};
  return { ...variables, ...chosen?.variables };
}

/** An environment may change only variables that exist. */
export function environmentProblems(environments: Environments, known: JsonObject): Problem[] {
  return Object.entries(environments).flatMap(([name, { variables = {} }]) =>
    Object.entries(variables).flatMap(([variable, value]): Problem[] => {
      const path = ['environments', name, 'variables', variable];
      if (!Object.hasOwn(known, variable)) {
        const hint = didYouMean(variable, Object.keys(known));
        return [{ path, message: `there is no variable ${variable}${hint}` }];
      }
      const [wanted, given] = [kindOf(known[variable] as Json), kindOf(value)];
      if (wanted === given) return [];
      return [{ path, message: `${variable} is of the kind ${wanted}, not ${given}` }];
    }),
  );
}

function kindOf(value: Json): string {
  const { kind } = valueShape(value);
  return kind === 'int' || kind === 'double' ? 'number' : kind;
}
