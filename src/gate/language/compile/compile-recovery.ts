import type { Path } from '../../../document/index.ts';
import { durationMs } from '../../../kernel/index.ts';
import type { ContractDocument, StepDocument } from '../contract-schema.ts';
import type { Compilation } from './compilation.ts';
import type { CompiledRecovery, CompiledStep } from './compiled.ts';
import type { Scopes } from './scopes.ts';

interface RecoveryPosition {
  readonly tool: string;
  readonly path: Path;
  readonly scopes: Scopes;
  /** The tool that was read last; its result is `read` in later steps. */
  readonly lastRead?: string | undefined;
}

/** The R of a contract. */
export function compileRecovery(
  compilation: Compilation,
  { effect, recovery }: ContractDocument,
  at: RecoveryPosition,
): CompiledRecovery {
  if (!recovery) return { withinMs: 0, stepsMax: 0, steps: [] };
  const { within, steps, stepsMax = steps.length } = recovery;
  if (steps.length > stepsMax) {
    const message = `there are ${steps.length} steps, but stepsMax is ${stepsMax}`;
    compilation.complain([...at.path, 'stepsMax'], message);
  }
  const compiled = steps.flatMap((step, index) =>
    compileStep(compilation, step, {
      ...at,
      path: [...at.path, 'steps', index],
      lastRead: steps.slice(0, index).findLast(({ reconcile }) => reconcile)?.reconcile?.read,
    }),
  );
  if (effect === 'mutating') checkRetries(compilation, steps, [...at.path, 'steps']);
  return { withinMs: durationMs(within), stepsMax, steps: compiled };
}

function compileStep(
  compilation: Compilation,
  step: StepDocument,
  at: RecoveryPosition,
): CompiledStep[] {
  const kinds = Object.keys(step);
  if (kinds.length !== 1) {
    compilation.complain(
      at.path,
      'a step is exactly one of reconcile, retry, compensate, fallback, hold',
    );
    return [];
  }
  const { reconcile, retry, compensate, fallback, hold } = step;
  if (reconcile) return [compileReconcile(compilation, reconcile, at)];
  if (retry) return [{ kind: 'retry', times: retry.times, backoffMs: durationMs(retry.backoff) }];
  if (compensate) return [compileSubstitute(compilation, 'compensate', compensate, at)];
  if (fallback) return [compileSubstitute(compilation, 'fallback', fallback, at)];
  return hold ? [{ kind: 'hold', reason: hold.reason }] : [];
}

function compileReconcile(
  compilation: Compilation,
  { read, with: given, committed, failed }: NonNullable<StepDocument['reconcile']>,
  { path, scopes }: RecoveryPosition,
): CompiledStep {
  const inside = [...path, 'reconcile'];
  compilation.readable(read, [...inside, 'read']);
  const { recovering } = scopes;
  const scope = { ...recovering, read: compilation.resultShape(read) };
  return {
    kind: 'reconcile',
    read,
    with: compilation.with(given, read, { path: [...inside, 'with'], scope: recovering }),
    committed: compilation.expression(committed, { path: [...inside, 'committed'], scope }, 'bool'),
    failed: compilation.optional(failed, { path: [...inside, 'failed'], scope }, 'bool'),
  };
}

function compileSubstitute(
  compilation: Compilation,
  kind: 'compensate' | 'fallback',
  { tool, with: given, when }: NonNullable<StepDocument['compensate']>,
  { tool: own, path, scopes, lastRead }: RecoveryPosition,
): CompiledStep {
  const inside = [...path, kind];
  compilation.known(tool, [...inside, 'tool']);
  if (tool === own) {
    compilation.complain([...inside, 'tool'], `${tool} can't ${kind} itself; use retry`);
  }
  const read = lastRead === undefined ? {} : { read: compilation.resultShape(lastRead) };
  const scope = { ...scopes.recovering, ...read };
  return {
    kind,
    tool,
    with: compilation.with(given, tool, { path: [...inside, 'with'], scope }),
    when: compilation.optional(when, { path: [...inside, 'when'], scope }, 'bool'),
  };
}

/** Forbids blind retries: a call is repeated only if it is known not to have taken place. */
function checkRetries(compilation: Compilation, steps: readonly StepDocument[], path: Path): void {
  steps.forEach((step, index) => {
    if (!step.retry || steps[index - 1]?.reconcile?.failed !== undefined) return;
    const message =
      'a mutating tool is called again only right after a reconcile step that says what "failed" is';
    compilation.complain([...path, index, 'retry'], message);
  });
}
