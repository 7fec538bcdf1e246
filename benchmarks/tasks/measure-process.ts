import { measureTasks } from './measure.ts';

/** A process that does nothing else, as a daemon is: its result is one line of JSON. */
const say = (text: string): void => void process.stderr.write(`  ${text}\n`);
process.stdout.write(`${JSON.stringify(await measureTasks(say))}\n`);
