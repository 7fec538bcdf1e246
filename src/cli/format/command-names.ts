/** The gate's names of actions, and the commands by which a person performs them. */
const commandNames: Readonly<Record<string, string>> = {
  'task.open': 'surety task open',
  'test.submit': 'surety task test <task> <file>',
  'change.propose': 'surety task propose <task> <patch>',
  'task.verify': 'surety task verify <task>',
  'change.promote': 'surety task promote <task>',
};

const names = new RegExp(
  `\\b(?:${Object.keys(commandNames).join('|').replaceAll('.', '\\.')})\\b`,
  'g',
);

/** A remedy on a terminal must name something that can be typed there. */
export function nameCommands(remedy: string): string {
  return remedy.replaceAll(names, (name) => commandNames[name] ?? name);
}
