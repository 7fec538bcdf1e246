import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** A way of working, told to a model at the user's wish. */
interface Prompt {
  readonly title: string;
  readonly description: string;
  readonly argument: { readonly name: string; readonly description: string };
  readonly steps: readonly string[];
}

const prompts: Readonly<Record<string, Prompt>> = {
  fix_with_evidence: {
    title: 'Fix with evidence',
    description: 'Changes the system: a failing test first, then the change, then a verdict.',
    argument: { name: 'goal', description: 'What shall be better.' },
    steps: [
      'get_context, to see your open tasks and budgets; go on with an open task if it fits.',
      'open_task with the goal. Read the code of the version that it answers as base.',
      'submit_test with a test that fails now for the reason that the goal names, and no other.',
      'propose_change with the smallest patch that makes the test hold.',
      'verify_change. If the verdict is fail, repair what its findings name, and propose again; ' +
        'get_verdict has every finding. After three verdicts that are no pass, stop and report.',
      'promote_change when the verdict is pass. Report the verdict and the promoted version.',
    ],
  },
  guarded_action: {
    title: 'Act within contracts',
    description: 'Reaches a goal by calls of guarded tools, following remedies.',
    argument: { name: 'goal', description: 'What shall be achieved.' },
    steps: [
      'get_context and list_contracts, to see what you may propose and what you have left.',
      'check_plan with all the calls that you mean to make. Change the plan until it is allowed.',
      'propose one call after the other, each with a key, so that a lost call can be made again.',
      'When a call is denied, do what its remedy says; explain_proposal tells every rule. Do not ' +
        'repeat a call that was answered with final: true.',
      'When a call is held, tell the person what waits for their approval; approval_status ' +
        'tells when it is there. Then propose exactly the same again.',
      'Report what was committed, what was not, and the ids of the proposals.',
    ],
  },
  investigate_alert: {
    title: 'Investigate an alert',
    description: 'Finds the cause of an alert and proposes its remedy.',
    argument: { name: 'alert', description: 'Its name; the newest if you do not know it.' },
    steps: [
      'list_alerts, to see what rose and when; get_system, to see which versions run.',
      'investigate with the alert. It probes both versions and runs the suites on them.',
      'If the cause is not confirmed, report what is missing, and nothing as if it were proven.',
      'If it is confirmed, open_task, submit_test with the regression case or a test like it, ' +
        'propose_change with the remedy, verify_change.',
      'Report cause, captures and verdict. Promote only if you were asked to.',
    ],
  },
};

export function registerPrompts(server: McpServer): void {
  for (const [name, { title, description, argument, steps }] of Object.entries(prompts)) {
    const argsSchema = z.object({
      [argument.name]: z.string().min(1).max(4_000).describe(argument.description),
    });
    server.registerPrompt(name, { title, description, argsSchema }, (given) => {
      const numbered = steps.map((step, index) => `${index + 1}. ${step}`).join('\n');
      const text = `${description}\n\n${argument.name}: ${given[argument.name]}\n\n${numbered}`;
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    });
  }
}
