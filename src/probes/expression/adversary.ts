import { isFault } from '../../kernel/index.ts';
import { checkExpression } from './check.ts';
import { compileExpression } from './compile.ts';

/**
 * Values that change something when one looks at them in the wrong way; `state.changes` counts.
 * JavaScript as text: it runs in the process that is tested.
 */
export const trapsText = `(()=>{
const state={changes:0};
const touch=()=>++state.changes;
const handler=new Proxy({},{get:(_,trap)=>(...args)=>{touch();return Reflect[trap](...args)}});
class Getter{get a(){return touch()} get length(){return touch()} get size(){return touch()}}
class Sneaky extends Map{get(){return touch()} has(){return touch()} get size(){return touch()}}
const {proxy:revoked,revoke}=Proxy.revocable({},{});revoke();
const indexed=[1,2];Object.defineProperty(indexed,0,{get:touch,enumerable:true});
return {
state,
own:{get a(){return touch()},get length(){return touch()},get size(){return touch()}},
inherited:new Getter(),
proxy:new Proxy({a:1},handler),
list:new Proxy([1],handler),
callable:new Proxy(touch,handler),
heir:Object.create(new Proxy({},handler)),
revoked,
valueOf:{valueOf:touch,toString:touch},
primitive:{[Symbol.toPrimitive]:touch},
iterable:{*[Symbol.iterator](){yield touch()}},
kind:class{static [Symbol.hasInstance](){return touch()>0}},
json:{toJSON:touch},
sneaky:new Sneaky([[1,1]]),
indexed,
change:touch,
tagged:{get [Symbol.toStringTag](){return String(touch())}},
}})()`;

const traps = [
  'own',
  'inherited',
  'proxy',
  'list',
  'callable',
  'heir',
  'revoked',
  'valueOf',
  'primitive',
  'iterable',
  'kind',
  'json',
  'sneaky',
  'indexed',
  'change',
  'tagged',
];

const uses: readonly ((trap: string) => string)[] = [
  (trap) => trap,
  (trap) => `${trap}.a`,
  (trap) => `${trap}?.a`,
  (trap) => `${trap}[0]`,
  (trap) => `${trap}.length`,
  (trap) => `${trap}.size`,
  (trap) => `${trap} + ''`,
  (trap) => `\`\${${trap}}\``,
  (trap) => `${trap} == 1`,
  (trap) => `${trap} < 1`,
  (trap) => `-${trap}`,
  (trap) => `'a' in ${trap}`,
  (trap) => `${trap} instanceof T.kind`,
  (trap) => `T.own instanceof ${trap}`,
  (trap) => `T.state[${trap}]`,
  (trap) => `String(${trap})`,
  (trap) => `Object.keys(${trap})`,
  (trap) => `${trap}.get(1)`,
  (trap) => `${trap}.includes(1)`,
  (trap) => `'abc'.slice(${trap})`,
  (trap) => `[...${trap}]`,
  (trap) => `${trap}()`,
  (trap) => `${trap}.a = 1`,
  (trap) => `${trap}.a++`,
  (trap) => `delete ${trap}.a`,
  (trap) => `(() => ${trap}.change())()`,
  (trap) => `new ${trap}()`,
];

const others = [
  'T.state.changes = 1',
  'T.state.changes++',
  'T.change()',
  'T.change?.()',
  'T["change"]()',
  'Object.assign(T.state, { changes: 1 })',
  'Object.defineProperty(T.state, "changes", { value: 1 })',
  'Reflect.set(T.state, "changes", 1)',
  'eval("T.state.changes = 1")',
  'new Function("T", "T.state.changes = 1")(T)',
  '[1].map(T.change)',
  '[3, 2].sort(T.change)',
  '"a".replace("a", T.change)',
  'JSON.stringify(T.json)',
  'structuredClone(T.own)',
  'T.change`x`',
  'await T.change()',
  'import("node:fs")',
  'T.constructor.constructor("return 1")()',
  'globalThis.constructor',
  '({ ...T.own })',
  '({ get a() { return T.change() } }).a',
  '((a = T.change()) => a)()',
  'T.state.changes ||= 5',
  '[T.state.changes] = [7]',
  'for (;;) T.change()',
  'throw T.change()',
  'super.a',
  'new.target',
  '/(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaa!")',
  '2n ** 100000000n',
  'void T.change()',
  'T.change, 1',
  'yield 1',
];

/** Expressions that try to change a process, of which `T` gives the values above. */
export const adversarialExpressions: readonly string[] = [
  ...others,
  ...uses.flatMap((use) => traps.map((trap) => use(`T.${trap}`))),
];

/**
 * Those that pass the allow-list, as the agent evaluates them. The rest is refused before any
 * process is touched.
 */
export function compileAdversaries(agent: string): readonly string[] {
  const scope = { agent, locals: new Map([['T', 'T']]) };
  return adversarialExpressions.flatMap((text) => {
    try {
      return [compileExpression(checkExpression(text), scope)];
    } catch (error) {
      if (isFault(error)) return [];
      throw error;
    }
  });
}
