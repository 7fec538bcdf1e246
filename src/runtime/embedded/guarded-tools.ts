import { fault } from '../../kernel/index.ts';
import type { CallGrant } from './embedded-act.ts';
import type { Guard, GuardedFunction, GuardOptions } from './guard.ts';

/** Functions, or objects with a function under `execute`, as in the AI SDK. */
export type ToolMap = Readonly<Record<string, object>>;

type GuardedMap<Tools> = {
  [Name in keyof Tools]: Tools[Name] extends (
    given: infer Arguments,
    ...rest: never[]
  ) => infer Value
    ? GuardedFunction<Arguments, Awaited<Value>>
    : Tools[Name];
};

export type GuardTools = <Tools extends ToolMap>(
  tools: Tools,
  options?: GuardOptions<Record<string, unknown>>,
) => GuardedMap<Tools>;

type Work = (given: object, options: object) => unknown;

/** The same map with each tool guarded; its key is the name of its contract. */
export function createGuardTools(guard: Guard): GuardTools {
  return <Tools extends ToolMap>(
    tools: Tools,
    options: GuardOptions<Record<string, unknown>> = {},
  ): GuardedMap<Tools> => {
    const guarded = Object.entries(tools).map(([name, tool]): [string, unknown] => {
      if (typeof tool === 'function') return [name, guardWork(name, tool as Work)];
      // A tool without a function is executed elsewhere.
      if (!('execute' in tool) || typeof tool.execute !== 'function') return [name, tool];
      const work = tool.execute.bind(tool) as Work;
      return [name, Object.assign(copyOf(tool), { execute: guardWork(name, work) })];
    });
    return Object.fromEntries(guarded) as GuardedMap<Tools>;

    function guardWork(name: string, work: Work): Work {
      const granted = (given: object, grant: CallGrant, framework?: object): Promise<unknown> =>
        withAbort(grant, framework, (handed) => lastOf(work(given, handed)));
      return guard(name, granted, options as GuardOptions<object>);
    }
  };
}

function copyOf(tool: object): object {
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool);
}

/** If the caller aborts a running call, its outcome is unknown. */
async function withAbort(
  grant: CallGrant,
  framework: object | undefined,
  run: (handed: object) => Promise<unknown>,
): Promise<unknown> {
  const { abortSignal } = (framework ?? {}) as { abortSignal?: AbortSignal };
  const signal = abortSignal ? AbortSignal.any([grant.signal, abortSignal]) : grant.signal;
  try {
    return await run({ ...framework, ...grant, signal, abortSignal: signal });
  } catch (error) {
    if (!abortSignal?.aborted) throw error;
    throw fault('TOOL_IN_DOUBT', { reason: 'the caller gave up while it ran' }, error);
  }
}

/** The result of a streaming tool is its last value. */
async function lastOf(answer: unknown): Promise<unknown> {
  const given = await answer;
  if (typeof (given as AsyncIterable<unknown> | null)?.[Symbol.asyncIterator] !== 'function') {
    return given;
  }
  let last: unknown;
  for await (const part of given as AsyncIterable<unknown>) last = part;
  return last;
}
