/** The gate's name of an action, and the tool with which an agent performs it. */
const toolNames: Readonly<Record<string, string>> = {
  'task.open': 'open_task',
  'task.split': 'split_task',
  'task.move': 'move_task',
  'task.finish': 'finish_task',
  'task.join': 'join_tasks',
  'task.grade': 'grade_task',
  'task.renew': 'renew_task',
  'task.cancel': 'cancel_task',
  'lock.acquire': 'acquire_lock',
  'lock.release': 'release_lock',
  'lock.renew': 'renew_lock',
  'test.submit': 'submit_test',
  'change.propose': 'propose_change',
  'task.verify': 'verify_change',
  'change.promote': 'promote_change',
  'change.verify': 'deploy_and_validate',
  'suite.run': 'run_suite',
  'lane.open': 'open_lane',
  'lane.extend': 'extend_lane',
  'lane.close': 'close_lane',
  'probe.place': 'place_probe',
  'investigation.run': 'investigate',
};

const gateName = new RegExp(`\\b(?:${Object.keys(toolNames).join('|').replaceAll('.', '\\.')})\\b`);

/** The commands of remedies, and the tools that show an agent the same. */
const toolsOfCommands: readonly (readonly [RegExp, string])[] = [
  [/surety proposals\b/g, 'list_unresolved'],
  [/surety explain (\S+)/g, 'explain_proposal {"proposal": "$1"}'],
  [/surety lane list\b/g, 'list_lanes'],
  [/surety task open, or the tool open_task\b/g, 'open_task'],
  [/surety query --help\b/g, 'query_telemetry'],
  [/surety query, or POST \/v1\/telemetry\/query\b/g, 'query_telemetry'],
  [/surety query\b/g, 'ask_telemetry'],
  [/surety verdict show <verdict>/g, 'get_verdict'],
  [/surety system status\b/g, 'get_system'],
];

/** A text for an agent must name something that the agent can call. */
export function nameTools(text: string): string {
  return text.replaceAll(new RegExp(gateName, 'g'), (name) => toolNames[name] ?? name);
}

/** A remedy for an agent, which has tools and no command line. */
export function remedyForAgents(remedy: string): string {
  const named = toolsOfCommands.reduce(
    (text, [command, tool]) => text.replaceAll(command, tool),
    remedy,
  );
  const isForPeople = /\bsurety [a-z]/.test(named) && !/\bask (?:an?|one)\b/i.test(named);
  return isForPeople ? `You cannot do this yourself. Ask an operator: ${named}` : named;
}
