import { isJsonObject, type JsonObject } from '../../../kernel/index.ts';
import { type CompileOptions, compileDocument } from '../compile/compile.ts';
import type { CompiledPolicy } from '../compile/compiled.ts';
import { type PolicyDocument, policySchema } from '../document.ts';
import { refuse } from './refusal.ts';
import { chosenVariables, type Environments, environmentProblems } from './variables.ts';
import { keepingProblem, wholeDocument } from './whole-document.ts';

export interface DefineOptions extends CompileOptions {
  /** The name of the environment whose values the variables get. */
  readonly name?: string;
}

export { definePolicy } from '../define-policy.ts';

/** Compiles a policy from an object: from `definePolicy`, or as stored in the ledger. */
export function compilePolicy(
  document: PolicyDocument | JsonObject,
  { name, natives }: DefineOptions = {},
): CompiledPolicy {
  const plain = plainObject(document);
  const { error } = policySchema.safeParse(document);
  if (error) throw refuse('the policy', error.issues.flatMap(issueLines));
  const { include = [], environments = {}, variables = {} } = plain as Partial<Parts>;
  const whole = wholeDocument({ ...plain, variables: chosenVariables(plain, name) });
  const unkept = keepingProblem(whole);
  if (unkept) throw refuse('the policy', [line([], unkept)]);
  const compiled = compileDocument(whole, natives ? { natives } : {});
  const problems = [
    ...(include.length > 0 ? [noIncludes] : []),
    ...environmentProblems(environments, variables),
    ...unknownEnvironment(environments, name),
    ...compiled.problems,
  ];
  if (problems.length === 0) return compiled.policy;
  throw refuse(
    'the policy',
    problems.map(({ path, message }) => line(path, message)),
  );
}

interface Parts {
  readonly include: readonly string[];
  readonly variables: JsonObject;
  readonly environments: Environments;
}

const noIncludes = {
  path: ['include'],
  message: 'only a policy file can include others: name a file instead',
};

function unknownEnvironment(environments: Environments, name: string | undefined) {
  if (name === undefined || Object.hasOwn(environments, name)) return [];
  return [{ path: ['environments'], message: `there is no environment ${name}` }];
}

/** The object as JSON, without undefined keys. */
function plainObject(document: unknown): JsonObject {
  try {
    const plain: unknown = JSON.parse(JSON.stringify(document));
    if (isJsonObject(plain)) return plain;
  } catch (error) {
    throw refuse('the policy', [line([], (error as Error).message)]);
  }
  throw refuse('the policy', [line([], 'it is no object')]);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

function issueLines({ path, message, keys }: Issue): string[] {
  return keys ? keys.map((key) => line(path, `unknown key "${key}"`)) : [line(path, message)];
}

function line(path: readonly PropertyKey[], message: string): string {
  const place = path.map(String).join('.');
  return `  ${place === '' || message.startsWith(`${place}:`) ? '' : `${place}: `}${message}`;
}
