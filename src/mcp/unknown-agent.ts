import { type Fault, fault } from '../kernel/index.ts';

/** Replaces "no valid token", whose remedy would lead an agent to a person's token. */
export function unknownAgent(named: string): Fault {
  const agent = named.replace(/^agent:/, '');
  const reason = `No agent "${agent}" is known here.`;
  const help = `agents in surety.yaml. Ask an operator to add "${agent}" there, then to run: surety down, surety up`;
  return fault('USAGE', { reason, help });
}
