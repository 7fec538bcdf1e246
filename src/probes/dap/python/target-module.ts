import { readFile } from 'node:fs/promises';
import { dapLimits } from '../limits.ts';
import { type DapClient, DapError } from '../wire/client.ts';

const name = '_surety_probe';
const self = `__import__('sys').modules['${name}']`;

/** Of one string, before secrets in it are redacted: a form that was cut is not recognised. */
const charsBeforeRedaction = 2_304;

export interface PythonPlace {
  readonly function: string | null;
  readonly near: readonly number[];
  readonly text: string;
}

export interface PythonTotals {
  readonly hits: number;
  readonly matched: number;
  readonly captured: number;
  readonly skipped: number;
  readonly errors: number;
}

interface PythonBreakpoint {
  readonly condition: string;
  readonly logMessage: string;
}

export interface TargetBounds {
  readonly chars?: number;
  readonly frames: number;
  readonly locals: number;
}

/** Our module in the process, called through the debugger. All values go there as literals. */
export class TargetModule {
  readonly #client: DapClient;

  private constructor(client: DapClient) {
    this.#client = client;
  }

  static async load(client: DapClient, bounds: TargetBounds): Promise<TargetModule> {
    const module = new TargetModule(client);
    const source = await readFile(new URL('./surety_probe.py', import.meta.url), 'utf8');
    const limits = {
      depth: dapLimits.dapValueDepthMax,
      members: dapLimits.dapMembersMax,
      nodes: dapLimits.dapNodesMax,
      perSecond: dapLimits.dapCapturesPerSecondMax,
      chars: charsBeforeRedaction,
      ...bounds,
    };
    const parts = [
      `m = type(sys)('${name}')`,
      `exec(compile(${pythonText(source)}, '<${name}>', 'exec'), m.__dict__)`,
      `m.LIMITS.update(json.loads(${pythonText(JSON.stringify(limits))}))`,
      `sys.modules['${name}'] = m`,
    ];
    // In a namespace of its own, so that no name appears in the program's.
    await module.#evaluate(
      `exec(${pythonText(['import sys, json', ...parts].join('\n'))}, {}) or 'loaded'`,
    );
    return module;
  }

  /** What a breakpoint evaluates: whether to report, and what. */
  static breakpointOf(probes: readonly number[], mark: string): PythonBreakpoint {
    const list = probes.join(', ');
    return {
      condition: `${self}.is_wanted(${list})`,
      logMessage: `${mark}{${self}.report(${list})}`,
    };
  }

  async add(plan: object): Promise<void> {
    const json = pythonText(JSON.stringify(plan));
    await this.#evaluate(`${self}.add(__import__('json').loads(${json})) or 'added'`);
  }

  async remove(probe: number): Promise<void> {
    await this.#evaluate(`${self}.PROBES.pop(${probe}, None) and 'removed'`);
  }

  totals(probe: number): Promise<PythonTotals> {
    return this.#ask<PythonTotals>(`totals(${probe})`);
  }

  find(end: string): Promise<{ found: readonly string[]; near: readonly string[] }> {
    return this.#ask(`find(${pythonText(end)})`);
  }

  locate(path: string, line: number): Promise<PythonPlace> {
    return this.#ask(`locate(${pythonText(path)}, ${line})`);
  }

  /** Gives whether it is gone. */
  async unload(): Promise<boolean> {
    const modules = "__import__('sys').modules";
    const answer = await this.#evaluate(
      `(${modules}.pop('${name}', None), str('${name}' in ${modules}))[1]`,
    );
    return answer.includes('False');
  }

  async #ask<Answer>(call: string): Promise<Answer> {
    const printed = await this.#evaluate(`${self}.${call}.encode().hex()`);
    const hex = /^'?([0-9a-f]+)'?$/.exec(printed)?.[1];
    if (hex === undefined) throw new DapError('refused', printed.slice(0, 300));
    return JSON.parse(Buffer.from(hex, 'hex').toString()) as Answer;
  }

  async #evaluate(expression: string): Promise<string> {
    const answer = await this.#client.request('evaluate', { expression, context: 'repl' });
    return String(answer.result);
  }
}

/** As bytes in hexadecimal, so that nothing in the text can end the literal. */
function pythonText(text: string): string {
  return `bytes.fromhex('${Buffer.from(text).toString('hex')}').decode()`;
}
