import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../config.ts';
import { discover } from './discover.ts';
import { draftConfig } from './draft.ts';
import { trialPort } from './trial.ts';

/** A repository of these files. */
function repository(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'discovery-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function draftOf(files: Readonly<Record<string, string>>) {
  const draft = draftConfig(discover(repository(files)));
  const environment = { REGION: 'eu' };
  return { ...draft, config: parseConfig(draft.text, { path: 'surety.yaml', environment }) };
}

const nodePackage = (name: string, start: string) =>
  JSON.stringify({ name, scripts: { start, test: 'vitest' } });

const compose = `
x-common: &common
  environment: &env
    LOG: info
services:
  web:
    <<: *common
    build: { context: ./web }
    ports: ["8080:3000"]
    depends_on: { api: { condition: service_started }, db: {} }
    environment: { <<: *env, API_URL: "http://api:3000", REGION: "\${REGION}" }
  api:
    build: ./api
    command: ["node", "server.js", "--name", "the api"]
    expose: [3000]
    environment:
      - DATABASE_URL=postgres://app:pw@db:5432/shop
      - EVENTS=nats://events:4222
      - API_TOKEN
      - MODE=\${MODE:-fast}
    healthcheck: { test: ["CMD", "curl", "-f", "http://localhost:3000/healthz"] }
  db:
    image: postgres:17
    ports: ["5433:5432"]
    environment: { POSTGRES_USER: app, POSTGRES_PASSWORD: pw, POSTGRES_DB: shop }
  events: { image: "nats:2" }
  mail: { image: "mailhog/mailhog" }
`;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: orders }
spec:
  template:
    metadata: { labels: { app: orders } }
    spec:
      containers:
        - name: main
          image: registry.local/shop/orders:1.2
          ports: [{ containerPort: 8080 }]
          env:
            - { name: PRICING_URL, value: "http://pricing:80" }
            - { name: STRIPE_KEY, valueFrom: { secretKeyRef: { name: s, key: k } } }
          readinessProbe: { httpGet: { path: /ready, port: 8080 } }
          resources: { limits: { memory: 256Mi, cpu: 500m } }
---
apiVersion: v1
kind: Service
metadata: { name: orders-internal }
spec: { selector: { app: orders }, ports: [{ port: 80, targetPort: 8080 }] }
`;

describe('discovery reads', () => {
  test('docker-compose.yml', () => {
    const { config, unknown, text } = draftOf({
      'docker-compose.yml': compose,
      'web/package.json': nodePackage('@shop/web', 'node main.js'),
      'web/package-lock.json': '{}',
      'api/Dockerfile': 'FROM node:24\nEXPOSE 3000\nCMD ["node", "index.js"]\n',
    });
    expect(config.services.web).toMatchObject({
      command: 'node main.js',
      install: 'npm ci',
      directory: 'web',
      port: 3000,
      dependsOn: ['api'],
      environment: { API_URL: 'http://api:3000', REGION: 'eu', LOG: 'info' },
      paths: ['web'],
    });
    expect(config.services.api).toMatchObject({
      command: "node server.js --name 'the api'",
      port: 3001,
      aliases: ['api:3000'],
      health: '/healthz',
      environment: { MODE: 'fast' },
      secrets: { API_TOKEN: 'env:API_TOKEN' },
      stores: ['db'],
      queues: ['events'],
    });
    expect(config.datastores.db).toMatchObject({
      kind: 'postgres',
      url: 'postgres://app:pw@127.0.0.1:5433/shop',
      variable: 'DATABASE_URL',
    });
    expect(config.queues.events).toMatchObject({
      kind: 'nats',
      url: 'nats://127.0.0.1:4222',
      variable: 'EVENTS',
    });
    expect(config.ingress).toBe('web');
    expect(unknown.join('\n')).toContain('mail: mailhog/mailhog');
    expect(text).toContain('# Found in docker-compose.yml, web/package.json.');
  });

  test('Procfile', () => {
    const { config, unknown, text } = draftOf({
      Procfile: 'web: node web.js\napi: python3 api.py --port $PORT\nworker: node work.js\n# no\n',
    });
    expect(config.services.web).toMatchObject({ command: 'node web.js', port: 5000 });
    expect(config.services.api).toMatchObject({
      command: 'python3 api.py --port 5100',
      port: 5100,
      tagging: 'baggage',
    });
    expect(unknown).toEqual([
      'worker: "node work.js" in Procfile has no port of its own; a worker without a port is left out',
    ]);
    expect(text).toContain('How it passes the keys of lanes on: docs/languages.md#python.');
  });

  test('a Procfile beside a workspace whose programs have fixed folders and ports', () => {
    const { config, unknown } = draftOf({
      Procfile: 'tax: cd tax && python3 main.py\nprices: cd ./prices/ && node main.js\n',
      'tax/main.py': "ThreadingHTTPServer(('0.0.0.0', 8000), Tax).serve_forever()\n",
      'prices/main.js': "server.bindAsync('0.0.0.0:50051', credentials, done);\n",
      'package.json': JSON.stringify({ workspaces: ['web', 'prices'] }),
      'package-lock.json': '{}',
      'prices/package.json': nodePackage('prices', 'node main.js'),
      'web/package.json': nodePackage('web', 'node server.js'),
    });
    expect(config.services.tax).toMatchObject({
      command: 'python3 main.py',
      directory: 'tax',
      port: 8000,
      paths: ['tax'],
    });
    expect(config.services.prices).toMatchObject({ port: 50_051, install: 'npm ci' });
    expect(unknown[0]).toBe(
      'web: web/package.json can be started, but Procfile does not name it; left out',
    );
  });

  test('a Procfile that names packages of a pnpm workspace, with their examples of .env files', () => {
    const start = (name: string, scripts: object): string =>
      JSON.stringify({ name, scripts: { start: 'node dist/index.js', build: 'tsc', ...scripts } });
    const { config, unknown } = draftOf({
      Procfile:
        'release: pnpm migrate\nweb: pnpm --filter @desk/bff start\napi: pnpm --filter @desk/api start\nworker: pnpm --filter @desk/worker start\n',
      'package.json': JSON.stringify({
        packageManager: 'pnpm@9.15.9',
        scripts: { migrate: 'pnpm --filter @desk/api db:migrate' },
      }),
      'pnpm-workspace.yaml': 'packages:\n  - apps/*\n',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'apps/bff/package.json': start('@desk/bff', {}),
      'apps/bff/.env.example': 'PORT=3000\nAPI_URL=http://localhost:4000\nEMPTY=\n',
      'apps/api/package.json': start('@desk/api', { 'db:migrate': 'node dist/migrate.js' }),
      'apps/api/.env.example': '# where\nPORT=4000\nDATABASE_URL="file:../../data/desk.db"\n',
      'apps/worker/package.json': start('@desk/worker', {}),
    });
    expect(config.ingress).toBe('web');
    expect(config.services.web).toMatchObject({
      command: 'node dist/index.js',
      directory: 'apps/bff',
      port: 3000,
      environment: { API_URL: 'http://localhost:4000' },
    });
    expect(config.services.api).toMatchObject({
      port: 4000,
      build: 'npm run build && PORT=4000 DATABASE_URL=file:../../data/desk.db node dist/migrate.js',
    });
    expect(unknown).toEqual([expect.stringContaining('worker: ')]);
  });

  test('the release of a Procfile that migrates a server, with the line to write', () => {
    const { unknown } = draftOf({
      Procfile: 'release: node migrate.js\nweb: node web.js\n',
      '.env.example': 'DATABASE_URL=postgres://localhost/shop\n',
    });
    expect(unknown[0]).toContain('datastores.<name>.migrations: { command: node migrate.js }');
  });

  test.each([
    ['a list', { workspaces: ['apps/*'] }],
    ['an object', { workspaces: { packages: ['apps/*'] } }],
  ])('workspaces of package.json as %s', (_, root) => {
    const { config, services } = draftOf({
      'package.json': JSON.stringify({ name: 'shop', ...root }),
      'apps/api/package.json': nodePackage('@shop/api', 'node main.ts'),
      'apps/api/main.ts': 'createServer(app).listen(process.env.PORT ?? 4101);\n',
      'apps/site/package.json': nodePackage('site', 'vite --port 4200'),
      'apps/library/package.json': '{"name":"library"}',
      'other/package.json': nodePackage('other', 'node x.js'),
    });
    expect(services.toSorted()).toEqual(['api', 'site']);
    expect(config.services.api).toMatchObject({ command: 'node main.ts', port: 4101 });
    expect(config.services.site).toMatchObject({ command: 'npm run --silent start', port: 4200 });
  });

  test('packages side by side without a workspace', () => {
    const { config, services } = draftOf({
      'web/package.json': nodePackage('web', 'node x.js --port 4201'),
      'stock/package.json': nodePackage('stock', 'node x.js --port 4202'),
      'stock/tools/package.json': '{"name":"tools"}',
    });
    expect(services.toSorted()).toEqual(['stock', 'web']);
    expect(config.services.stock).toMatchObject({ directory: 'stock', port: 4202 });
  });

  test('a root with a start script as the only service', () => {
    const { services } = draftOf({
      'package.json': nodePackage('shop', 'node x.js --port 4201'),
      'site/package.json': nodePackage('site', 'vite --port 4202'),
    });
    expect(services).toEqual(['shop']);
  });

  test('one package without a port', () => {
    const { services, unknown } = draftOf({ 'package.json': nodePackage('shop', 'node x.js') });
    expect(services).toEqual([]);
    expect(unknown[0]).toContain('shop: "node x.js" says no port (found in package.json)');
    expect(unknown[0]).toContain('services.shop: { command: node x.js, port: … }');
  });

  test('Kubernetes manifests', () => {
    const { config } = draftOf({
      'k8s/orders.yaml': deployment,
      'k8s/broken.yaml': 'apiVersion: v1\nkind: [',
      'services/orders/Dockerfile': 'CMD node main.js\n',
    });
    expect(config.services.orders).toMatchObject({
      command: 'node main.js',
      directory: 'services/orders',
      port: 8080,
      health: '/ready',
      aliases: ['orders-internal:80'],
      secrets: { STRIPE_KEY: 'env:STRIPE_KEY' },
      limits: { memoryMb: 256, cpu: 0.5 },
      environment: { PRICING_URL: 'http://pricing:80' },
    });
  });

  test('skaffold.yaml', () => {
    const { config } = draftOf({
      'skaffold.yaml': `apiVersion: skaffold/v4
build: { artifacts: [{ image: registry.local/shop/orders, context: backend }] }
manifests: { rawYaml: ["deploy/*.yaml"] }
`,
      'deploy/orders.yaml': deployment,
      'backend/package.json': nodePackage('backend', 'node main.js'),
    });
    expect(config.services.orders).toMatchObject({ directory: 'backend', command: 'node main.js' });
  });

  test('Tiltfile', () => {
    const { config } = draftOf({
      Tiltfile: `k8s_yaml(['deploy/orders.yaml'])
docker_build('registry.local/shop/orders', './backend')
local_resource('site', serve_cmd='node site.js', serve_dir='site',
  links=['http://localhost:4200'])
`,
      'deploy/orders.yaml': deployment,
      'backend/Dockerfile': 'CMD ["node", "main.js"]\n',
    });
    expect(config.services.orders).toMatchObject({ directory: 'backend', port: 8080 });
    expect(config.services.site).toMatchObject({
      command: 'node site.js',
      directory: 'site',
      port: 4200,
    });
  });

  test.each([
    ['nothing at all', {}],
    ['broken files', { 'package.json': '{', 'docker-compose.yml': 'services: [', Procfile: ':' }],
    ['a compose file that is a list', { 'compose.yaml': '- a\n' }],
    ['names that are numbers', { 'compose.yaml': 'services: { 1: { build: . } }' }],
    ['aliases without end', { 'compose.yaml': 'a: &a [*a, *a]\nservices: { x: *a }' }],
  ])('%s without a fault and finds no service', (_, files) => {
    expect(draftOf(files).services).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('a trial start', () => {
  const node = JSON.stringify(process.execPath);
  const trial = (script: string) =>
    trialPort({ command: `${node} -e ${JSON.stringify(script)}`, directory: '/', environment: {} });

  test('finds the port and leaves no process behind', async () => {
    const port = await trial("require('net').createServer().listen(0, '127.0.0.1')");
    expect(port).toBeGreaterThan(0);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  test('of a program that exits finds no port', async () => {
    expect(await trial('process.exit(1)')).toBeUndefined();
  });
});
