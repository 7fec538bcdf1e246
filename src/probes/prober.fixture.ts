import { placeProbe } from './probe.ts';
import { deps } from './scene.fixture.ts';

// A process of its own that tests can kill or stop: it says one word once its probe is placed.
const [pid, file = '', line] = process.argv.slice(2);

// Should a test ever fail to end it.
setTimeout(() => process.exit(), 120_000).unref();

await placeProbe({ pids: [Number(pid)], file, line: Number(line) }, deps);
process.stdout.write('placed\n');
