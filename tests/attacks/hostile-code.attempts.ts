import { PassThrough } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { suretyCommand } from '../harness/programs.ts';
import type { Opened } from '../harness/systems/lane-system.ts';
import { until } from '../harness/until.ts';
import { type Attempt, attemptsOf } from './attempt.ts';
import type { SystemScene } from './system-scene.ts';

/** Writes orders to terminals, and has values that are too much for whoever reads them. */
const hostileService = `import { createServer } from 'node:http';
console.log('\\x1b[2J\\x1b]0;owned\\x07\\x1b[8mhidden\\x9b31m\\x1b]52;c;Y3VybA==\\x07');
const long = 'x'.repeat(100_000);
const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => ['k' + index, long]));
let deep = {};
for (let level = 0; level < 100_000; level++) deep = { deep, [level]: long };
const self = { long };
self.self = self;
const forever = () => { for (;;); };
const endless = new Proxy({}, { get: forever, has: forever, ownKeys: forever });
const slow = { get member() { return forever(); }, toString: forever, toJSON: forever };
createServer((request, response) => {
  const all = [long, wide, deep, self, endless, slow];
  response.end('2');
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
const probedLine = 1 + hostileService.split('\n').findIndex((line) => line.includes("end('2')"));
const expressions = ['long', 'wide', 'deep', 'self', 'endless', 'slow', 'all'];
/** The values hold gigabytes. */
const captureCharsMax = 300_000;

const lanes = new WeakMap<SystemScene, Promise<Opened>>();

/** A lane whose candidate is the hostile service; the same one for all attempts of a scene. */
function hostileLane(scene: SystemScene): Promise<Opened> {
  const { system } = scene;
  const known = lanes.get(scene);
  const opened = known ?? system.open({ patch: system.patch({ 'back/main.mjs': hostileService }) });
  lanes.set(scene, opened);
  return opened;
}

/** What a person sees who runs this command. */
async function shown(scene: SystemScene, ...words: string[]): Promise<string> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const output = Promise.all([readText(streams.stdout), readText(streams.stderr)]);
  await suretyCommand([...words, '--directory', scene.workspace.root], streams);
  for (const stream of Object.values(streams)) stream.end();
  return (await output).join('');
}

const writeToTerminal: Attempt<SystemScene>['attack'] = async (scene, begin) => {
  const { lane } = (await hostileLane(scene)).lane;
  await begin();
  const seen = await until('its line is shown', async () => {
    const output = await shown(scene, 'lane', 'logs', lane, 'back');
    return output.includes('owned') ? output : undefined;
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there.
  return /[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(seen) ? JSON.stringify(seen) : 'shown as text';
};

const fillCapture: Attempt<SystemScene>['attack'] = async (scene, begin) => {
  const opened = await hostileLane(scene);
  const { lane } = opened.lane;
  await begin();
  const where = { service: 'back', lane, file: 'back/main.mjs', line: probedLine };
  const placed = await scene.call('owner', 'POST /v1/probes', { ...where, expressions });
  const probe = String(placed.body.probe);
  const captures = await until('a request hits the probe', async () => {
    await scene.system.through(opened, lane);
    const { body } = await scene.call('owner', `GET /v1/probes/${probe}`);
    const found = body.captures as unknown[] | undefined;
    return found && found.length > 0 ? JSON.stringify(found[0]) : undefined;
  });
  await scene.call('owner', `POST /v1/probes/${probe}/remove`);
  const answer = await scene.system.through(opened, lane);
  if (answer !== '1 1 2') return `afterwards the lane answers ${answer}`;
  return captures.length <= captureCharsMax ? 'a small capture' : `${captures.length} characters`;
};

export const hostileCodeAttempts = attemptsOf<SystemScene>('code under test', [
  ['writes orders to the terminal of who reads its log', 'shown as text', writeToTerminal],
  [
    'fills a capture with endless, deep and long values',
    'a small capture',
    fillCapture,
    'probe-ended',
  ],
]);
