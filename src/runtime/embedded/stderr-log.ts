import { createClock, createLog, type Log } from '../../kernel/index.ts';

const write = createLog('gate', createClock(), (line) => void process.stderr.write(line));

/** A library prints only when something is wrong. */
export const stderrLog: Log = (level, event, details) => {
  if (level !== 'info') write(level, event, details);
};
