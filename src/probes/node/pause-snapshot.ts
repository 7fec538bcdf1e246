import { agentSettings } from './agent-settings.ts';

const { depth, members, nodes, chars, textChars, nameChars } = agentSettings;

/**
 * Runs inside of the target, under V8's check for side effects, and makes JSON of a value, within
 * bounds. Accessors are named and not read. It is text and not a function because tools that
 * rewrite our code would rewrite it too. One line, as it is sent with each expression.
 */
const source = `(v=>{
const left={n:${nodes},c:${chars}};
const text=v=>{const s=v.slice(0,${textChars});if(s.length>left.c)return '[string]';left.c-=s.length;return s};
const kind=v=>v===null?'null':Array.isArray(v)?'array':typeof v;
const part=(d,k)=>d===undefined?null:'value' in d?see(d.value,k):'[accessor]';
const list=(v,k)=>{
const out=[];
for(let i=0;i<v.length&&i<${members};i++)out.push(part(Object.getOwnPropertyDescriptor(v,i),k));
if(v.length>out.length)out.push('[more: '+(v.length-out.length)+']');
return out};
const members=(v,k)=>{
const out={__proto__:null};
const keys=Object.keys(v);
for(const key of keys.slice(0,${members}))if(key!=='__proto__')out[key.slice(0,${nameChars})]=part(Object.getOwnPropertyDescriptor(v,key),k);
if(v instanceof Error)out.message=part(Object.getOwnPropertyDescriptor(v,'message'),k);
if(keys.length>${members})out['[more]']=keys.length-${members};
return out};
const see=(v,k)=>{
const t=kind(v);
if(left.n--<=0)return '['+t+']';
if(t==='string')return text(v);
if(t==='number')return Number.isFinite(v)&&!Object.is(v,-0)?v:Object.is(v,-0)?'-0':''+v;
if(t==='boolean'||t==='null')return v;
if(t==='undefined')return null;
if(t==='bigint')return text(''+v);
if(t==='symbol')return '[symbol]';
if(t==='function')return '[function]';
if(v instanceof Date)return '[date: '+v.getTime()+']';
if(ArrayBuffer.isView(v))return '[binary: '+v.byteLength+']';
if(v instanceof Map||v instanceof Set)return '[collection: '+v.size+']';
if(k<=0)return '['+t+']';
return t==='array'?list(v,k-1):members(v,k-1)};
return JSON.stringify([kind(v),see(v,${depth})])
})`.replaceAll('\n', '');

/**
 * The text to evaluate at a pause for the value of `expression`. Its result is a text: V8 shows an
 * object by looking into it, after its check for side effects is over.
 */
export function snapshotOf(expression: string): string {
  return `${source}((${expression}))`;
}
