import { readFile } from 'node:fs/promises';
import { secretNamePatterns } from '../../kernel/index.ts';
import { agentSettings } from './agent-settings.ts';

const folder = new URL('../in-process/', import.meta.url);

/** Files of the agent that run in a context of their own, and those that run in the worker. */
const agentFiles = [
  'breakpoints.cjs',
  'budget.cjs',
  'summaries.cjs',
  'spans.cjs',
  'values.cjs',
  'operators.cjs',
  'instruments.cjs',
  'agent.cjs',
];
const workerFiles = ['exceptions.cjs', 'threads.cjs', 'worker.cjs'];

/** Names that the agent's code finds in a parameter, not in a global object that is slow to ask. */
const builtins =
  'Object,Reflect,Array,ArrayBuffer,Number,String,BigInt,Math,JSON,Map,Set,Date,Error,RegExp';

export interface AgentLink {
  readonly port: number;
  readonly token: string;
}

/** The one expression that is evaluated in the process: it starts the agent and its worker. */
export async function agentExpression(name: string, link: AgentLink): Promise<string> {
  const [agent, worker, main] = await Promise.all([
    bundle(agentFiles, `return require('./agent.cjs').createAgent;`, builtins),
    bundle(workerFiles, `require('./worker.cjs');`),
    bundle(['main.cjs'], `return require('./main.cjs').start;`),
  ]);
  const config = {
    name,
    link: { ...link, limits: agentSettings },
    limits: agentSettings,
    // As text, so that each thread and context makes lists of its own.
    secretNames: JSON.stringify(secretNamePatterns.map(({ source, flags }) => ({ source, flags }))),
    texts: {
      agent: `(${agent})(undefined,${builtins})`,
      worker: `(${worker})(require)`,
      // Once more, for worker threads of the application.
      main,
    },
  };
  return `(${main})(require)(require,${JSON.stringify(config)})`;
}

/** A function of `require` that runs these files as CommonJS modules. */
async function bundle(files: readonly string[], last: string, names = ''): Promise<string> {
  const modules = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8');
      return `${JSON.stringify(`./${file}`)}:function(module,require){${text}\n}`;
    }),
  );
  return `function(outer,${names}){
const modules={${modules.join(',\n')}};
const loaded={};
const require=(id)=>{
if(!modules[id])return outer(id);
if(!loaded[id]){loaded[id]={exports:{}};modules[id](loaded[id],require)}
return loaded[id].exports};
${last}}`;
}
