/** What the gate calls a step of a task, and what an agent calls to take it. */
const toolNames: Readonly<Record<string, string>> = {
  'task.open': 'open_task',
  'task.split': 'split_task',
  'task.finish': 'finish_task',
  'test.submit': 'submit_test',
  'change.propose': 'propose_change',
  'task.verify': 'verify_change',
  'change.promote': 'promote_change',
  'change.verify': 'deploy_and_validate',
};

const gateName = new RegExp(`\\b(?:${Object.keys(toolNames).join('|').replaceAll('.', '\\.')})\\b`);

/** A remedy has to name something that the reader can call. */
export function nameTools(text: string): string {
  return text.replaceAll(new RegExp(gateName, 'g'), (name) => toolNames[name] ?? name);
}
