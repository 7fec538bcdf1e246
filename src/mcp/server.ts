import { once } from 'node:events';
import { McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { listTools, titleOf } from './list-tools.ts';
import { registerResources } from './resources.ts';
import { type McpDeps, runTool } from './run-tool.ts';
import { tools } from './tools/index.ts';

const instructions = `Surety decides what agents may do, executes it once, and proves changes on the real running system.
Begin with get_context. To act: list_contracts, check_plan, propose.
To change the system: open_task, submit_test (must fail now), propose_change, verify_change, promote_change.
A refused call says why, and in its remedy what would make it pass. A long answer has "next": ask again with it as cursor.`;

/** Speaks MCP on standard input and output until the client leaves. Holds no state. */
export async function serveMcp(deps: McpDeps): Promise<void> {
  serveStdio(() => createServer(deps));
  await Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
}

/** Surety's own tools, resources and prompts for one agent, in whichever revision it speaks. */
export function createServer(deps: McpDeps): McpServer {
  const server = new McpServer({ name: 'surety', version: deps.version }, { instructions });
  const framework = () => formatClient(server.server.getClientVersion());
  for (const [name, { input }] of Object.entries(tools)) {
    server.registerTool(name, { inputSchema: shownOnly(input) }, (given, context) =>
      runTool(name, given as Record<string, unknown>, context, { ...deps, framework }),
    );
  }
  server.server.setRequestHandler('tools/list', async () => {
    return { tools: await listTools(deps.connect) };
  });
  registerResources(server, deps);
  registerPrompts(server);
  return server;
}

const clientCharsMax = 100;

/** As in `claude-code 2.1`. */
function formatClient(client: { name: string; version: string } | undefined): string | undefined {
  return client && `${client.name} ${client.version}`.slice(0, clientCharsMax);
}

/**
 * Shows a schema to clients without validating by it: `runTool` reports wrong arguments, with a
 * remedy.
 */
function shownOnly(input: z.ZodObject): StandardSchemaWithJSON {
  const standard = input['~standard'] as StandardSchemaWithJSON['~standard'];
  return { '~standard': { ...standard, validate: (value) => ({ value }) } };
}

/** A way of working that the user can give to a model. */
interface Prompt {
  readonly description: string;
  readonly argument: { readonly name: string; readonly description: string };
  readonly steps: readonly string[];
}

const prompts: Readonly<Record<string, Prompt>> = {
  fix_with_evidence: {
    description: 'Changes the system: a failing test first, then the change, then a verdict.',
    argument: { name: 'goal', description: 'What to improve.' },
    steps: [
      'get_context, to see your open tasks and budgets; continue an open task if it fits.',
      'open_task with the goal. Read the code at the commit that it returns as base.',
      'submit_test with a test that fails on the baseline for the reason in the goal, and no other.',
      'propose_change with the smallest patch that makes the test pass.',
      'verify_change. If the verdict is fail, repair what its findings name, and propose again; ' +
        'get_verdict shows every finding. After three verdicts other than pass, stop and report.',
      'promote_change when the verdict is pass. Report the verdict and the promoted version.',
    ],
  },
  guarded_action: {
    description: 'Reaches a goal with calls of guarded tools, following remedies.',
    argument: { name: 'goal', description: 'What to achieve.' },
    steps: [
      'get_context and list_contracts, to see what you may propose and what you have left.',
      'check_plan with all the calls that you plan to make. Change the plan until it is allowed.',
      'propose one call after another, each with a key, so that you can repeat a lost call.',
      'When a call is denied, do what its remedy says; explain_proposal shows every rule. Do not ' +
        'repeat a call whose denial had final: true.',
      'When a call is held, tell the person what needs their approval; approval_status shows ' +
        'when it is given. Then propose exactly the same call again.',
      'Report what was committed, what was not, and the ids of the proposals.',
    ],
  },
  investigate_alert: {
    description: 'Finds the cause of an alert and proposes its remedy.',
    argument: {
      name: 'alert',
      description: 'The name of the alert; the newest one if you do not know it.',
    },
    steps: [
      'list_alerts, to see which metric rose and when; get_system, to see which versions run.',
      'investigate with the alert. It probes both versions and runs the suites on them.',
      'If the cause is not confirmed, report what is missing. Do not present it as proven.',
      'If it is confirmed, open_task, submit_test with the regression case or a test like it, ' +
        'propose_change with the remedy, verify_change.',
      'Report cause, captures and verdict. Promote only if you were asked to.',
    ],
  },
};

function registerPrompts(server: McpServer): void {
  for (const [name, { description, argument, steps }] of Object.entries(prompts)) {
    const argsSchema = z.object({
      [argument.name]: z.string().min(1).max(4_000).describe(argument.description),
    });
    server.registerPrompt(name, { title: titleOf(name), description, argsSchema }, (given) => {
      const numbered = steps.map((step, index) => `${index + 1}. ${step}`).join('\n');
      const text = `${description}\n\n${argument.name}: ${given[argument.name]}\n\n${numbered}`;
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    });
  }
}
