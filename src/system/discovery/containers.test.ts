import { describe, expect, test } from 'vitest';
import { parseConfig } from '../config.ts';
import { discover } from './discover.ts';
import { draftConfig } from './draft.ts';
import { makeRepository } from './repository.fixture.ts';

function draftOf(files: Readonly<Record<string, string>>) {
  const draft = draftConfig(discover(makeRepository(files)));
  return { ...draft, config: parseConfig(draft.text, { path: 'surety.yaml', environment: {} }) };
}

const composeOf = (...lines: readonly string[]): string => `services:\n${lines.join('\n')}\n`;
const built = (name: string): string => `  ${name}: { build: ./${name} }`;

describe('a program in a container becomes one of this machine', () => {
  const programs: Record<string, { files: Record<string, string>; expected: object }> = {
    'Go, built in an earlier stage': {
      files: {
        'api/Dockerfile':
          'FROM golang:1.23 AS build\nWORKDIR /src\nCOPY . .\nRUN CGO_ENABLED=0 go build -ldflags="-s" -o /out/api ./cmd/api\nFROM scratch\nENV PORT=8081\nEXPOSE 8081\nENTRYPOINT ["/out/api", "--verbose"]\n',
        'api/go.mod': 'module x\n',
        'api/cmd/api/main.go': 'package main\nvar port = os.Getenv("PORT")\n',
      },
      expected: {
        build: 'CGO_ENABLED=0 go build -o .build/api ./cmd/api',
        command: '.build/api --verbose',
        port: 8081,
        tagging: 'baggage',
      },
    },
    'Python with requirements.txt': {
      files: {
        'api/Dockerfile':
          'FROM python:3.12\nWORKDIR /app\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\nCOPY . .\nCMD ["uvicorn", "main:app", "--port", "8000"]\n',
        'api/requirements.txt': 'fastapi\n',
        'api/main.py': 'app = FastAPI()\n',
      },
      expected: {
        install: 'python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt',
        command: '.venv/bin/python -m uvicorn main:app --port $PORT',
        port: 8000,
      },
    },
    'Python with a built-in port': {
      files: {
        'api/Dockerfile': 'FROM python:3.12\nRUN pip install flask redis\nCMD python app.py\n',
        'api/app.py': 'app.run(host="0.0.0.0", port=5000)\n',
      },
      expected: {
        install: 'python3 -m venv .venv && .venv/bin/pip install --quiet flask redis',
        command: '.venv/bin/python app.py',
        port: 5000,
        builtInPort: 5000,
      },
    },
    'Java with Maven and Spring': {
      files: {
        'api/Dockerfile':
          'FROM maven:3 AS build\nWORKDIR /app\nCOPY . .\nRUN mvn package\nFROM eclipse-temurin:21\nCOPY --from=build /app/target/*.jar /app.jar\nEXPOSE 8080\nENTRYPOINT ["java", "-Xmx256m", "-jar", "/app.jar"]\n',
        'api/pom.xml':
          '<project><parent><artifactId>spring-boot-starter-parent</artifactId><version>3.3.0</version></parent><artifactId>orders</artifactId><version>1.2</version></project>',
      },
      expected: {
        build: 'mvn --batch-mode --quiet -DskipTests package',
        command: 'java -Dserver.port=$PORT -Xmx256m -jar target/orders-1.2.jar',
        port: 8080,
      },
    },
    'Java with Gradle': {
      files: {
        'api/Dockerfile':
          'FROM gradle:8 AS build\nWORKDIR /app\nCOPY . .\nRUN ./gradlew installDist\nFROM eclipse-temurin:21\nWORKDIR /app\nCOPY --from=build /app .\nEXPOSE 9555\nENTRYPOINT ["/app/build/install/ads/bin/ads"]\n',
        'api/build.gradle': "plugins { id 'application' }\n",
        'api/gradlew': '',
        'api/src/main/java/A.java': 'System.getenv("PORT")',
      },
      expected: {
        build: 'sh ./gradlew --quiet installDist',
        command: 'build/install/ads/bin/ads',
        port: 9555,
      },
    },
    Rust: {
      files: {
        'api/Dockerfile':
          'FROM rust:1 AS build\nRUN cargo build --release\nFROM debian\nEXPOSE 7000\nCMD ["/usr/local/bin/rates"]\n',
        'api/Cargo.toml': '[package]\nname = "rates"\nversion = "0.1.0"\n',
        'api/src/main.rs': 'std::env::var("PORT")',
      },
      expected: {
        build: 'cargo build --release --target-dir .build',
        command: '.build/release/rates',
        port: 7000,
      },
    },
    '.NET': {
      files: {
        'api/Dockerfile':
          'FROM mcr.microsoft.com/dotnet/sdk:8.0 AS build\nRUN dotnet publish\nFROM mcr.microsoft.com/dotnet/aspnet:8.0\nEXPOSE 8080\nENTRYPOINT ["dotnet", "Cart.dll"]\n',
        'api/Cart.csproj': '<Project/>',
      },
      expected: {
        build: 'dotnet publish Cart.csproj --configuration Release --output .build',
        command: 'ASPNETCORE_URLS=http://127.0.0.1:$PORT dotnet .build/Cart.dll',
        port: 8080,
      },
    },
    'TypeScript that has to be built': {
      files: {
        'api/Dockerfile':
          'FROM node:22 AS build\nWORKDIR /app\nRUN npm ci\nRUN npm run build\nFROM node:22\nWORKDIR /app\nCOPY . .\nEXPOSE 3000\nCMD ["node", "/app/dist/main.js"]\n',
        'api/package.json':
          '{"name":"api","scripts":{"build":"tsc"},"dependencies":{"express":"5"}}',
        'api/package-lock.json': '{}',
      },
      expected: {
        install: 'npm ci',
        build: 'npm run build',
        command: 'node dist/main.js',
        port: 3000,
      },
    },
  };
  test.each(Object.entries(programs))('%s', (_, { files, expected }) => {
    const { config } = draftOf({ 'compose.yaml': composeOf(built('api')), ...files });
    expect(config.services.api).toMatchObject(expected);
  });

  test('one of a pnpm workspace, after the shared packages that it uses', () => {
    const { config } = draftOf({
      'compose.yaml': composeOf(
        '  api: { build: { context: ., dockerfile: apps/api/Dockerfile }, ports: ["3000:3000"] }',
      ),
      'pnpm-workspace.yaml': 'packages: ["apps/*", "packages/*"]\n',
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\n",
      'package.json': '{"name":"root","packageManager":"pnpm@9.15.0"}',
      'packages/money/package.json': '{"name":"@s/money","scripts":{"build":"tsc"}}',
      'packages/http/package.json':
        '{"name":"@s/http","scripts":{"build":"tsc"},"dependencies":{"@s/money":"workspace:*"}}',
      'apps/api/package.json':
        '{"name":"@s/api","scripts":{"start":"node dist/main.js","build":"tsc"},"dependencies":{"@s/http":"workspace:*"}}',
      'apps/api/Dockerfile':
        'FROM node:22\nWORKDIR /repo\nCOPY . .\nRUN pnpm install && pnpm --filter @s/api... build\nCMD ["pnpm", "--filter", "@s/api", "start"]\n',
    });
    expect(config.services.api).toMatchObject({
      directory: 'apps/api',
      command: 'node dist/main.js',
      build:
        '(cd ../../packages/money && npm run build) && (cd ../../packages/http && npm run build) && npm run build',
    });
    expect(config.services.api?.install).toMatch(
      /^(?:pnpm|npx --yes pnpm@9\.15\.0) install --frozen-lockfile$/,
    );
  });
});

const shop = composeOf(
  '  web: { build: ./web, ports: ["80:3000"], depends_on: [api], environment: { API: "http://api:8000", DB_HOST: db } }',
  '  api:',
  '    build: ./api',
  '    environment: { DATABASE_URL: "postgresql://u:p@db/shop?sslmode=disable", CACHE: "cache:6379" }',
  '    depends_on: { migrate: { condition: service_completed_successfully } }',
  '  migrate:',
  '    image: postgres:16',
  '    command: ["psql", "-h", "db", "-U", "u", "-d", "shop", "-f", "/sql/001.sql"]',
  '    volumes: ["./migrations:/sql:ro"]',
  '  seed: { build: ./api, profiles: [tools] }',
  '  db:',
  '    image: postgres:16-alpine',
  '    ports: ["5433:5432"]',
  '    environment: { POSTGRES_USER: u, POSTGRES_PASSWORD: p, POSTGRES_DB: shop }',
  '    volumes: ["./db/init.sql:/docker-entrypoint-initdb.d/init.sql"]',
  '  cache: { image: "redis:7" }',
);
const programFiles = {
  'web/package.json': '{"name":"web","scripts":{"start":"node main.js"}}',
  'web/main.js': 'listen(process.env.PORT)',
  'api/package.json': '{"name":"api","scripts":{"start":"node main.js --port 8000"}}',
};

test('one-shot containers become migrations, and scripts of the database seeds', () => {
  const { config, services } = draftOf({ 'compose.yaml': shop, ...programFiles });
  expect(services).toEqual(['web', 'api']);
  expect(config.ingress).toBe('web');
  expect(config.datastores.db).toMatchObject({
    url: 'postgresql://u:p@127.0.0.1:5433/shop?sslmode=disable',
    variable: 'DATABASE_URL',
    migrations: { command: 'psql "$DATABASE_URL" -f migrations/001.sql', paths: ['migrations'] },
    seeds: {
      command: 'psql "$DATABASE_URL" --quiet --set=ON_ERROR_STOP=1 --file=db/init.sql',
    },
  });
  expect(config.services.api).toMatchObject({
    stores: ['db'],
    environment: { CACHE: '127.0.0.1:6379' },
  });
  expect(config.services.web).toMatchObject({ environment: { DB_HOST: '127.0.0.1' } });
});

test('two databases of one server are two datastores', () => {
  const { config } = draftOf({
    'compose.yaml': composeOf(
      '  a: { build: ./web, expose: [3000], environment: { DATABASE_URL: "postgres://u:p@db/a" } }',
      '  b: { build: ./api, environment: { DATABASE_URL: "postgres://u:p@db/b" } }',
      '  db: { image: "postgres:16" }',
    ),
    ...programFiles,
  });
  expect(Object.keys(config.datastores)).toEqual(['db-a', 'db-b']);
});

test('manifests of Kubernetes say the database, its password, the ingress and gRPC', () => {
  const workload = (name: string, container: string): string =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: ${name} }\nspec: { template: { metadata: { labels: { app: ${name} } }, spec: { containers: [${container}] } } }\n---\n` +
    `apiVersion: v1\nkind: Service\nmetadata: { name: ${name} }\nspec: { type: ${name === 'web' ? 'LoadBalancer' : 'ClusterIP'}, selector: { app: ${name} }, ports: [{ port: 80 }] }\n---\n`;
  const { config } = draftOf({
    'deploy/all.yaml':
      workload(
        'web',
        '{ image: "r/web", ports: [{ containerPort: 3000 }], env: [{ name: DATABASE_URL, valueFrom: { secretKeyRef: { name: db, key: url } } }] }',
      ) +
      workload('rates', '{ image: "r/rates", ports: [{ containerPort: 5000, name: grpc }] }') +
      workload('db', '{ image: "postgres:16", env: [{ name: POSTGRES_PASSWORD, value: pw }] }') +
      'apiVersion: v1\nkind: Secret\nmetadata: { name: db }\nstringData: { url: "postgres://postgres:pw@db:5432/postgres" }\n',
    'web/package.json': programFiles['web/package.json'],
    'web/main.js': programFiles['web/main.js'],
    'rates/Dockerfile': 'FROM golang:1\nCMD ["/rates"]\n',
    'rates/main.go': 'package main\nvar p = os.Getenv("PORT")\n',
  });
  expect(config.ingress).toBe('web');
  expect(config.services.rates).toMatchObject({
    protocol: 'grpc',
    build: 'go build -o .build/rates .',
  });
  expect(config.datastores.db?.url).toBe('postgres://postgres:pw@127.0.0.1:5432/postgres');
  expect(config.services.web?.stores).toEqual(['db']);
});

test('what is missing is named with the line to write', () => {
  const { unknown } = draftOf({
    'compose.yaml': composeOf(
      '  mail: { image: "mailhog/mailhog" }',
      '  jobs: { build: ./jobs }',
      '  rates: { build: ./rates, ports: ["5000:5000"] }',
    ),
    'jobs/Dockerfile': 'FROM python:3\nCMD ["python", "work.py"]\n',
    'rates/Dockerfile': 'FROM golang:1\nCMD ["/rates"]\n',
    'rates/main.go': 'package main\nhttp.ListenAndServe(":5000", nil)\n',
  });
  expect(unknown).toEqual([
    'mail: mailhog/mailhog in compose.yaml is not built here; if it runs elsewhere, write services.mail.address: <host>:<port>',
    expect.stringContaining('write services.jobs: { command: .venv/bin/python work.py, port: … }'),
    'rates: its sources do not read PORT, and a lane runs a second one of it on another port; let it listen on PORT (default 5000)',
  ]);
});
