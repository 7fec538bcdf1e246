import type { Path } from '../../../document/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import type { Expression } from '../../expression/index.ts';
import type { ContractDocument } from '../contract-schema.ts';
import { argumentProblems, schemaProblems } from '../schema/schema-check.ts';
import { closeObjects } from '../schema/schema-close.ts';
import { checkBy } from '../schema/schema-validator.ts';
import { type Compilation, sortedEntries } from './compilation.ts';
import { compileGovernance } from './compile-governance.ts';
import { compileRecovery } from './compile-recovery.ts';
import type { CompiledContract, CompiledRead, RunnerSpec } from './compiled.ts';
import type { ExpressionScope, Scopes } from './scopes.ts';

export function compileContract(
  compilation: Compilation,
  tool: string,
  contract: ContractDocument,
): CompiledContract {
  const path = ['tools', tool];
  const scopes = compilation.scopes(tool);
  const place = (scope: ExpressionScope, ...steps: (string | number)[]) => ({
    path: [...path, ...steps],
    scope,
  });
  const compiled = {
    tool,
    ...(contract.mode ? { mode: contract.mode } : {}),
    ...(contract.description ? { description: contract.description } : {}),
    effect: contract.effect,
    coding: contract.coding,
    ...compileSchemas(compilation, contract, path),
    run: compileRunner(compilation, contract, path),
    reads: compileReads(compilation, contract, { path: [...path, 'reads'], scopes }),
    preconditions: compilation.rules(
      contract.preconditions,
      place(scopes.deciding, 'preconditions'),
    ),
    invariants: compilation.rules(contract.invariants, place(scopes.deciding, 'invariants')),
    results: compilation.rules(contract.results, place(scopes.settling, 'results')),
    resources: contract.resources.map((text, index) =>
      compilation.expression(text, place(scopes.assessing, 'resources', index), 'string'),
    ),
    ...compileGovernance(compilation, contract.governance, {
      path: [...path, 'governance'],
      scopes,
    }),
    produces: contract.produces.map(({ evidence, subject, when, reported }, index) => ({
      evidence,
      reported,
      subject: compilation.expression(
        subject,
        place(scopes.settling, 'produces', index, 'subject'),
        'string',
      ),
      when: compilation.optional(when, place(scopes.settling, 'produces', index, 'when'), 'bool'),
    })),
    recovery: compileRecovery(compilation, contract, {
      tool,
      path: [...path, 'recovery'],
      scopes,
    }),
  };
  return { ...compiled, usesTrajectory: usesTrajectory(compiled) };
}

export function readsTrajectory({ paths }: Expression): boolean {
  return paths.some((path) => /^(?:trajectory|seen|begun)(?:$|[.[])/.test(path));
}

function usesTrajectory(
  contract: Pick<CompiledContract, 'preconditions' | 'invariants' | 'approval'>,
): boolean {
  const rules = [...contract.preconditions, ...contract.invariants].map(({ that }) => that);
  const when = contract.approval?.when;
  return [...rules, ...(when ? [when] : [])].some(readsTrajectory);
}

function compileSchemas(
  compilation: Compilation,
  contract: ContractDocument,
  path: Path,
): Pick<CompiledContract, 'schema' | 'checkArguments' | 'checkResult'> {
  const schema = contract.arguments as JsonObject;
  const result = contract.result as JsonObject | undefined;
  compilation.complainBelow([...path, 'arguments'], argumentProblems(schema));
  if (result) compilation.complainBelow([...path, 'result'], schemaProblems(result));
  return {
    schema,
    checkArguments: checkBy(schema, closeObjects),
    ...(result ? { checkResult: checkBy(result) } : {}),
  };
}

function compileRunner(
  compilation: Compilation,
  { run }: ContractDocument,
  path: Path,
): RunnerSpec | null {
  if (!run) return null;
  if (Object.keys(run).length !== 1) {
    compilation.complain([...path, 'run'], 'say exactly one of http and command');
  }
  if (run.http) return { kind: 'http', ...run.http };
  return { kind: 'command', command: run.command ?? [] };
}

function compileReads(
  compilation: Compilation,
  { reads }: ContractDocument,
  { path, scopes }: { readonly path: Path; readonly scopes: Scopes },
): CompiledRead[] {
  return sortedEntries(reads).map(([name, { tool, with: given }]) => {
    compilation.readable(tool, [...path, name, 'tool']);
    const place = { path: [...path, name, 'with'], scope: scopes.asking };
    return { name, tool, with: compilation.with(given, tool, place) };
  });
}
