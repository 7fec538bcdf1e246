/** The plugin that `hook add opencode` writes. It has no dependencies, and fails closed. */
export function formatOpencodePlugin(command: string): string {
  return `// Written by: surety hook add opencode. Remove it with: surety hook remove opencode
import { spawnSync } from 'node:child_process';

const command = ${JSON.stringify(command)};

/** Asks Surety. Without an answer that it understands, the call does not run. */
function ask(payload) {
  const input = JSON.stringify(payload);
  const timeout = 30_000;
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], { input, timeout, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr || 'Surety: the hook did not answer. Run: surety up');
  if (stdout.trim() !== '') throw new Error(JSON.parse(stdout).denied);
}

export const Surety = async ({ directory }) => ({
  'tool.execute.before': async ({ tool, sessionID, callID }, { args }) => {
    ask({ event: 'tool.execute.before', tool, sessionID, callID, directory, args });
  },
  'tool.execute.after': async ({ tool, sessionID, callID, args }, { output }) => {
    try {
      ask({ event: 'tool.execute.after', tool, sessionID, callID, directory, args, output });
    } catch (error) {
      process.stderr.write(\`\${error.message}\\n\`);
    }
  },
});
`;
}
