import { createClock, createLog, type Log } from '../../kernel/index.ts';

const write = createLog('gate', createClock(), (line) => void process.stderr.write(line));

/** A library is heard when something is wrong, and only then. */
export const stderrLog: Log = (level, event, details) => {
  if (level !== 'info') write(level, event, details);
};
