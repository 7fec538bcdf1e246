import { fault } from '../../kernel/index.ts';

/** The name becomes part of a path, so only names that surety.yaml accepts may pass. */
export function readAgent(command: string, given: string | boolean | undefined): string {
  if (typeof given === 'string' && /^[a-z][a-z0-9-]{0,39}$/.test(given)) return given;
  const reason =
    given === undefined ? 'Say who works here: --agent <name>.' : `"${given}" names no agent.`;
  throw fault('USAGE', { reason, help: `surety ${command} --help` });
}
