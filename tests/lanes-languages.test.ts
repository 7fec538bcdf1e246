import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from './harness/free-ports.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

/** `npm run test:languages` says where these are; elsewhere there is no need for them. */
const {
  SURETY_TEST_GO: go = '',
  SURETY_TEST_GO_OTEL: goOtel = '',
  SURETY_TEST_LANES_PYTHON: python = '',
  SURETY_TEST_JAVA: java = '',
  SURETY_TEST_JAVA_AGENT: agent = '',
} = process.env;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const instrument = join(python, '..', 'opentelemetry-instrument');
/**
 * Starts with a fifth of the work, so that a busy machine starts it in time. The JDK's server sends
 * head and body in two packets: without `nodelay` the body often waits 40 ms for a delayed
 * acknowledgement, in either version, and no latency can be judged.
 */
const jvm = `${java} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dsun.net.httpserver.nodelay=true`;
const onlyHttp = [
  'common.default-enabled=false',
  'java-http-server.enabled=true',
  'java-http-client.enabled=true',
]
  .map((setting) => `-Dotel.instrumentation.${setting}`)
  .join(' ');
const otel = 'OTEL_TRACES_EXPORTER: none, OTEL_METRICS_EXPORTER: none, OTEL_LOGS_EXPORTER: none';

/** A service that passes the key on by a helper or by OpenTelemetry. */
interface Variant {
  readonly title: string;
  /** What has to be on this machine. */
  readonly needs: string;
  readonly file: string;
  readonly command: string;
  readonly build?: string;
  readonly environment?: string;
  /** The helper, and where it goes. */
  readonly helper?: readonly [from: string, to: string];
}

const variants: Readonly<Record<string, Variant>> = {
  go: {
    title: 'Go with the helper',
    needs: go,
    file: 'main.go',
    build: `${go} build -o total .`,
    command: './total',
    helper: ['go/suretylane', 'suretylane'],
  },
  'go-otel': {
    title: 'Go with otelhttp',
    needs: goOtel,
    file: 'main.go',
    build: `${go} build -o total .`,
    command: './total',
  },
  python: {
    title: 'Python with the helper',
    needs: python,
    file: 'total.py',
    command: `${python} total.py`,
    helper: ['python/surety_lane.py', 'surety_lane.py'],
  },
  'python-otel': {
    title: 'Python with opentelemetry-instrument',
    needs: python,
    file: 'total.py',
    command: `${instrument} ${python} total.py`,
    environment: otel,
  },
  java: {
    title: 'Java with the helper',
    needs: java,
    file: 'Total.java',
    build: `${java}c -d out Total.java SuretyLane.java`,
    command: `${jvm} -cp out Total`,
    helper: ['java/SuretyLane.java', 'SuretyLane.java'],
  },
  'java-agent': {
    title: 'Java with the OpenTelemetry agent',
    needs: agent,
    file: 'Total.java',
    build: `${java}c -d out Total.java`,
    command: `${jvm} -javaagent:${agent} ${onlyHttp} -cp out Total`,
    environment: otel,
  },
};
const present = Object.entries(variants).filter(([, { needs }]) => existsSync(needs));

/** Of the shop and of the currency service nothing is changed for lanes. */
const shop = `import { createServer } from 'node:http';
createServer(async ({ url }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://shop');
  const service = process.env[pathname.slice(1).toUpperCase().replace('-', '_') + '_URL'];
  if (!service) return response.end('{}');
  const answer = await fetch(service + '/total?amount=' + searchParams.get('amount'));
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(await answer.text());
}).listen(Number(process.env.PORT), '127.0.0.1');
`;
const currency = `import { createServer } from 'node:http';
createServer(({ url }, response) => {
  const amount = Number(new URL(url, 'http://currency').searchParams.get('amount'));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ amount: amount * 2 }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

describe.skipIf(present.length === 0)('a service without the preload', () => {
  const workspace = new Workspace();
  let front = '';

  beforeAll(async () => {
    const { root, place } = workspace;
    const ports = await freePorts(['shop', 'currency', ...present.map(([name]) => name)]);
    front = `http://127.0.0.1:${ports.shop}`;
    writeFileSync(join(root, 'shop.mjs'), shop);
    writeFileSync(join(root, 'currency.mjs'), currency);
    for (const [name, { helper }] of present) {
      cpSync(here(`fixtures/languages/${name}`), join(root, name), { recursive: true });
      if (helper)
        cpSync(here(`../helpers/${helper[0]}`), join(root, name, helper[1]), { recursive: true });
    }
    writeFileSync(join(root, '.gitignore'), '.surety/\ntotal\nout/\n__pycache__/\n');
    writeFileSync(place.configFile, configuration(ports));
    git(root, 'init', '--quiet', '--initial-branch=main');
    commit(root, 'first');
    await workspace.up();
    await workspace.run('system', 'up');
  });
  afterAll(() => workspace[Symbol.asyncDispose]());

  const ask = async (name: string, amount: number, headers = {}): Promise<unknown> =>
    (await fetch(`${front}/${name}?amount=${amount}`, { headers })).json();

  // proves: lanes.languages
  test.each(present.map(([name, { title }]) => [title, name]))(
    'in %s passes keys on, and only to calls of their own requests',
    async (_, name) => {
      const patch = patchOf('currency.mjs', 'amount * 2', 'amount * 2 + 1000');
      const body = { patch, callers: 'shared' as const };
      const { lane } = await workspace.client().call('POST /v1/lanes', { body });
      const keyed = { baggage: `surety-lane=${lane.lane}` };
      const amounts = Array.from({ length: 40 }, (__, index) => index);
      const answers = await Promise.all(
        amounts.map((amount) => ask(name, amount, amount % 2 === 0 ? keyed : {})),
      );
      await workspace.run('lane', 'close', lane.lane);
      const expected = (amount: number): number => amount * 2 + 7 + (amount % 2 === 0 ? 1000 : 0);
      expect(answers).toEqual(amounts.map((amount) => ({ total: expected(amount) })));
    },
  );

  const withHelper = present.filter(([, { helper }]) => helper);

  // proves: verify.languages
  test.each(withHelper.map(([name, { title, file }]) => [title, name, file]))(
    'in %s is verified behind an unmodified caller',
    async (_, name, file) => {
      const path = `${name}/${file}`;
      const verify = (patch: string) =>
        workspace
          .client()
          .call('POST /v1/verdicts', { body: { patch, suites: [name] } }, { answerMsMax: 600_000 });
      const broken = await verify(patchOf(path, '+ 7', '+ 1007'));
      expect(broken).toMatchObject({ verdict: 'fail', services: [name] });
      expect(broken.findings[0]).toMatchObject({ service: name, what: 'value-changed' });
      const harmless = await verify(patchOf(path, '+ 7', '+ 3 + 4'));
      expect(harmless, `${harmless.reason}`).toMatchObject({ verdict: 'pass', services: [name] });
    },
    1_200_000,
  );

  function patchOf(path: string, before: string, after: string): string {
    const file = join(workspace.root, path);
    writeFileSync(file, readFileSync(file, 'utf8').replace(before, after));
    const patch = git(workspace.root, 'diff');
    git(workspace.root, 'checkout', '--quiet', '--', path);
    return patch;
  }
});

function configuration({ shop: front, currency: back, ...ports }: Record<string, number>): string {
  const names = Object.keys(ports);
  const addresses = names.map(
    (name) => `${name.toUpperCase().replace('-', '_')}_URL: "http://127.0.0.1:${ports[name]}"`,
  );
  const suites = names.map(
    (name) => `  ${name}:
    command: >-
      node -e 'fetch(process.env.BASE_URL + "/${name}?amount=12", { headers: JSON.parse(process.env.HEADERS) })
      .then((answer) => console.log(JSON.stringify({ check: "answers", passed: answer.ok })))'
`,
  );
  const services = names.map((name) => {
    const { command, build, environment } = variants[name] as Variant;
    const own = [`CURRENCY_URL: "http://127.0.0.1:${back}"`, ...(environment ? [environment] : [])];
    return `  ${name}:
    command: ${command}
${build ? `    build: ${build}\n` : ''}    directory: ${name}
    port: ${ports[name]}
    tagging: baggage
    health: /healthz
    environment: { ${own.join(', ')} }
    paths: [${name}]
    dependsOn: [currency]
`;
  });
  // Confined builds have no cache: each would compile Go's own library again.
  return `ingress: shop
confine: off
suites:
${suites.join('')}services:
  currency: { command: node currency.mjs, port: ${back}, paths: [currency.mjs] }
  shop:
    command: node shop.mjs
    port: ${front}
    environment: { ${addresses.join(', ')} }
    paths: [shop.mjs]
    dependsOn: [${names.join(', ')}]
${services.join('')}`;
}
