import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { canonicalJson, type Json, sha256 } from '../src/kernel/index.ts';
import { buildCollector, collector } from './collector.ts';
import { runSteps, say } from './steps.ts';

/**
 * `npm run test:languages`: the Python client against a real daemon, and under a real framework;
 * telemetry of a service in Python, and through the OpenTelemetry Collector; verdicts behind a
 * service in Go; keys and verdicts of services in Go, Python and Java; probes in Python and Go.
 * What it needs from the network is kept in .cache.
 */
const folder = 'clients/python';
const environment = '.cache/python';
const python = `${environment}/bin/python`;
const requirements = `${folder}/requirements-test.txt`;

const lanesEnvironment = '.cache/python-lanes';
const lanesRequirements = 'tests/fixtures/languages/python-otel/requirements.txt';
const agentVersion = '2.33.1';
const agentHash = 'e43a270df53c6f423e0ab157be9c27ccc01d5dc3232e162fe54777573db2f149';
const agent = `.cache/opentelemetry-javaagent-${agentVersion}.jar`;

const debugpyEnvironment = '.cache/python-debugpy';
const debugpyRequirements = 'tests/fixtures/languages/probes-python/requirements.txt';
const delveVersion = 'v1.27.2';
const delveFolder = '.cache/delve';

/** A first build in another language takes minutes on a busy machine. */
const patienceMs = 900_000;
const patience = [`--testTimeout=${patienceMs}`, `--hookTimeout=${patienceMs}`];
const vitest = ['npx', 'vitest', 'run', ...patience];

const missing = whatIsMissing() ?? (await prepareEnvironment(environment, requirements));
if (missing) {
  say(`- the Python client was not tested: ${missing}`);
  // A check that is skipped in CI is no check.
  process.exitCode = process.env.CI ? 1 : 0;
} else {
  await testPython();
  await testPythonPackage();
  await testTelemetry();
}
await testGo();
await testLanes();
await testProbes();

function whatIsMissing(): string | undefined {
  const { status, stdout } = spawnSync(
    'python3',
    ['-c', 'import sys, venv, ensurepip; print(sys.version_info >= (3, 10))'],
    { encoding: 'utf8' },
  );
  if (status !== 0) return 'there is no python3 with venv and pip here';
  return stdout.trim() === 'True' ? undefined : 'python3 is older than 3.10';
}

/** Made once for what it is asked for, and again when that changes. */
async function prepareEnvironment(place: string, packages: string): Promise<string | undefined> {
  const wanted = hashOf(readFileSync(packages));
  const stamp = join(place, 'stamp');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return undefined;
  const made = await runSteps([
    { name: 'virtual environment', command: ['python3', '-m', 'venv', '--clear', place] },
    {
      name: 'framework',
      command: [`${place}/bin/python`, '-m', 'pip', 'install', '--quiet', '-r', packages],
    },
  ]);
  if (made.some(({ ok }) => !ok)) return 'its framework could not be installed';
  writeFileSync(stamp, wanted);
  return undefined;
}

async function testPython(): Promise<void> {
  const workspace = mkdtempSync(join(tmpdir(), 'surety-languages-'));
  try {
    process.env.SURETY_TEST_VECTORS = writeVectors(workspace);
    process.env.SURETY_TEST_DIRECTORY = workspace;
    process.env.PYTHONDONTWRITEBYTECODE = '1';
    cpSync(`${folder}/test-policy.yaml`, join(workspace, 'policy.yaml'));
    writeFileSync(join(workspace, 'surety.yaml'), 'policy: policy.yaml\n');
    surety('up', workspace);
    const tests = [resolve(python), '-m', 'unittest', 'discover', '-s', folder, '-v'];
    const results = await runSteps([{ name: 'Python client', command: tests, live: true }]);
    process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
  } finally {
    surety('down', workspace);
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** The client as pip installs it, away from its sources. */
async function testPythonPackage(): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'surety-python-'));
  try {
    // pip leaves folders of its build beside the sources.
    cpSync(folder, join(place, 'sources'), { recursive: true });
    const installed = join(place, 'environment');
    const typed =
      "assert any(str(file).endswith('.pyi') for file in importlib.metadata.files('surety'))";
    const use = `import importlib.metadata, surety, surety_suite; assert surety.Denied; ${typed}`;
    const results = await runSteps([
      { name: 'environment of the package', command: ['python3', '-m', 'venv', installed] },
      {
        name: 'installs the Python package',
        command: [`${installed}/bin/pip`, 'install', '--quiet', join(place, 'sources')],
      },
      { name: 'imports the Python package', command: [`${installed}/bin/python`, '-c', use] },
    ]);
    if (results.some(({ ok }) => !ok)) process.exitCode = 1;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function testTelemetry(): Promise<void> {
  process.env.SURETY_TEST_PYTHON = resolve(python);
  const missingCollector = await buildCollector();
  if (missingCollector) {
    say(`- the Collector was not tested: ${missingCollector}`);
  } else {
    process.env.SURETY_TEST_COLLECTOR = resolve(collector);
  }
  const command = [...vitest, 'tests/telemetry-languages.test.ts'];
  const results = await runSteps([{ name: 'telemetry of other languages', command, live: true }]);
  if (results.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** The shop in Go that drops a context: 20 verdicts on a change behind it. */
async function testGo(): Promise<void> {
  const { status, stdout } = spawnSync('go', ['env', 'GOROOT'], { encoding: 'utf8' });
  if (status !== 0) {
    say('- lanes behind a service in Go were not tested: there is no go here');
    if (process.env.CI) process.exitCode = 1;
    return;
  }
  process.env.SURETY_TEST_GO = join(stdout.trim(), 'bin', 'go');
  const command = [...vitest, 'tests/callers-go.test.ts'];
  const [result] = await runSteps([{ name: 'callers in Go', command, live: true }]);
  if (!result?.ok) process.exitCode = 1;
}

/**
 * Services in Go, Python and Java: by helpers and OpenTelemetry they pass keys on. A language that
 * is missing here is left out, also in CI.
 */
async function testLanes(): Promise<void> {
  const reasons = [await prepareGoModules(), await prepareLanesPython(), await prepareJava()];
  for (const reason of reasons) if (reason) say(`- lanes were tested in part: ${reason}`);
  say('- .NET was not tested: its helper has never been run');
  const command = [...vitest, 'tests/lanes-languages.test.ts'];
  const [result] = await runSteps([{ name: 'lanes of other languages', command, live: true }]);
  if (!result?.ok) process.exitCode = 1;
}

async function prepareGoModules(): Promise<string | undefined> {
  const { SURETY_TEST_GO: go } = process.env;
  if (!go) return 'there is no go here';
  // The lane's builds then find the modules, and Go's own library, in the cache.
  const command = [go, 'build', '-C', 'tests/fixtures/languages/go-otel', '-o', '/dev/null', '.'];
  const [built] = await runSteps([{ name: 'modules for Go', command }]);
  if (!built?.ok) return 'the OpenTelemetry modules for Go could not be fetched';
  process.env.SURETY_TEST_GO_OTEL = go;
  return undefined;
}

async function prepareLanesPython(): Promise<string | undefined> {
  const reason = whatIsMissing() ?? (await prepareEnvironment(lanesEnvironment, lanesRequirements));
  if (reason === undefined) {
    process.env.SURETY_TEST_LANES_PYTHON = resolve(lanesEnvironment, 'bin/python');
  }
  return reason;
}

async function prepareJava(): Promise<string | undefined> {
  const { status, stdout } = spawnSync('sh', ['-c', 'command -v javac && command -v java'], {
    encoding: 'utf8',
  });
  if (status !== 0) return 'there is no java with javac here';
  process.env.SURETY_TEST_JAVA = stdout.trim().split('\n').at(-1) ?? '';
  if (!existsSync(agent)) {
    const path = `io/opentelemetry/javaagent/opentelemetry-javaagent/${agentVersion}`;
    const file = `opentelemetry-javaagent-${agentVersion}.jar`;
    const answer = await fetch(`https://repo1.maven.org/maven2/${path}/${file}`).catch(() => null);
    const bytes = answer?.ok ? Buffer.from(await answer.arrayBuffer()) : Buffer.of();
    if (hashOf(bytes) !== agentHash) return 'the OpenTelemetry agent could not be fetched';
    writeFileSync(agent, bytes);
  }
  process.env.SURETY_TEST_JAVA_AGENT = resolve(agent);
  return undefined;
}

/** Probes through the debuggers of other languages. */
async function testProbes(): Promise<void> {
  const reasons = [await prepareDebugpy(), await prepareDelve()];
  for (const reason of reasons) if (reason) say(`- probes were tested in part: ${reason}`);
  if (process.env.CI && reasons.some(Boolean)) process.exitCode = 1;
  const files = ['tests/probes-python.test.ts', 'tests/probes-go.test.ts'];
  const command = [...vitest, ...files];
  const [result] = await runSteps([{ name: 'probes in other languages', command, live: true }]);
  if (!result?.ok) process.exitCode = 1;
}

async function prepareDebugpy(): Promise<string | undefined> {
  const reason =
    whatIsMissing() ?? (await prepareEnvironment(debugpyEnvironment, debugpyRequirements));
  if (reason !== undefined) return reason;
  if (spawnSync('gdb', ['--version']).status !== 0) return 'there is no gdb here';
  process.env.SURETY_TEST_DEBUGPY = resolve(debugpyEnvironment, 'bin/python');
  return undefined;
}

async function prepareDelve(): Promise<string | undefined> {
  const { SURETY_TEST_GO: go } = process.env;
  if (!go) return 'there is no go here';
  const program = resolve(delveFolder, delveVersion, 'dlv');
  if (!existsSync(program)) {
    const folder = `GOBIN=${resolve(delveFolder, delveVersion)}`;
    const source = `github.com/go-delve/delve/cmd/dlv@${delveVersion}`;
    const command = ['env', folder, go, 'install', source];
    const [installed] = await runSteps([{ name: 'delve', command }]);
    if (!installed?.ok) return 'delve could not be installed';
  }
  process.env.SURETY_TEST_DLV = program;
  return undefined;
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function surety(command: string, directory: string): void {
  const words = ['bin/surety.js', command, '--directory', directory];
  execFileSync(process.execPath, words, { stdio: 'ignore' });
}

/** Texts that the runtime writes, with their hashes: one line each. */
function writeVectors(directory: string): string {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  const text = fc.string({ unit: 'grapheme' });
  const odd = fc.string({ unit: fc.nat(0x10ffff).map(fromCode) });
  const values = fc.oneof(
    double,
    fc.integer(),
    odd,
    text,
    fc.jsonValue(),
    fc.dictionary(odd, double),
  );
  const samples = fc.sample(values, { numRuns: 20_000, seed: 7 }) as Json[];
  const powers = Array.from({ length: 632 }, (_, index) => Number(`1.5e${index - 323}`));
  const lines = [...samples, ...powers].map((value) => {
    const canonical = canonicalJson(value);
    return JSON.stringify([canonical, sha256(canonical)]);
  });
  const file = join(directory, 'vectors.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

/** Any character but half of one. */
function fromCode(code: number): string {
  return code >= 0xd800 && code <= 0xdfff ? '-' : String.fromCodePoint(code);
}
