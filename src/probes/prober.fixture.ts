import { attach } from './attachment.ts';
import { placeProbe } from './probe.ts';
import { checkRequest } from './request.ts';
import { appFile, deps, lineOf, untilFree } from './scene.fixture.ts';
import { findScript, listScripts } from './script.ts';
import { setBreakpoint } from './site.ts';
import { checkTarget } from './target.ts';

// A process of its own that tests can kill: it says one word on its output once it is attached.
const [mode, pid] = process.argv.slice(2);
const file = appFile;
const request = { pid: Number(pid), file, line: lineOf('before'), expressions: ['amount'] };
const say = (word: string): void => void process.stdout.write(`${word}\n`);

/** A debugger such as ours must never be: it stops the process and does nothing then. */
async function stayPaused(): Promise<void> {
  const { session } = await attach(await checkTarget(request.pid));
  session.on('Debugger.paused', () => say('paused'));
  const plan = checkRequest(request);
  const script = await findScript(await listScripts(session), plan);
  await setBreakpoint(session, script, plan);
  say('attached');
}

// Should a test ever fail to end it.
setTimeout(() => process.exit(), 120_000).unref();

if (mode === 'probe') {
  await untilFree(() => placeProbe(request, deps));
  say('attached');
} else {
  await untilFree(() => stayPaused().then(() => true));
}
