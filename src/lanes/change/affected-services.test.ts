import { afterAll, describe, expect, test } from 'vitest';
import { Repository } from '../repository.fixture.ts';
import { prepareChange } from './change.ts';

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Services in several languages that share code, as repositories of many services do. */
const files: Record<string, string> = {
  'surety.yaml': `ingress: web
services:
  web: { command: npm start, directory: apps/web, port: 4001, paths: [apps/web] }
  orders: { command: npm run orders, port: 4002, paths: [apps/orders] }
  billing: { command: node apps/billing/main.js, port: 4003 }
  rates: { command: python3 main.py, directory: py/rates, port: 4004 }
  mails: { command: python3 main.py, directory: py/mails, port: 4005 }
  stock: { command: ./stock, build: go build -o stock ./cmd/stock, directory: go, port: 4006 , paths: [go/cmd/stock] }
  search: { command: ./search, build: go build -o search ./cmd/search, directory: go, port: 4007, paths: [go/cmd/search] }
  ledger: { command: java -jar target/ledger.jar, directory: java/ledger, port: 4008 }
  fraud: { command: target/release/fraud, directory: rust/fraud, port: 4009 }
  tax: { command: dotnet Tax.dll, directory: dotnet/Tax, port: 4010 }
`,
  'package.json': json({
    workspaces: ['apps/*', 'libs/*'],
    scripts: { orders: 'node apps/orders/main.ts' },
  }),
  'package-lock.json': json({}),
  'tsconfig.json':
    '{ // shared\n "compilerOptions": { "paths": { "@text/*": ["./libs/text/src/*"], }, } }\n',
  'apps/web/package.json': json({ name: 'web', scripts: { start: 'node main.ts' } }),
  'apps/web/main.ts': "import { money } from '@shop/money';\nimport { page } from '@text/page';\n",
  'apps/orders/main.ts':
    "import { rate } from '@shop/money/rate';\nconst schema = join(import.meta.dirname, '..', '..', 'proto', 'order.proto');\n",
  'apps/orders/main.test.ts': "import { only } from '../../libs/testing/only.ts';\n",
  'apps/billing/main.js':
    "const { round } = require('./round');\nconst all = require('../../libs/built');\n",
  'apps/billing/round.js': "const shared = require('../../libs/shared');\n",
  'libs/money/package.json': json({
    name: '@shop/money',
    exports: { '.': './src/index.ts', './rate': './src/rate.ts' },
  }),
  'libs/money/src/index.ts': "export * from './amount.js';\n",
  'libs/money/src/amount.ts': 'export const money = 1;\n',
  'libs/money/src/rate.ts': 'export const rate = 1;\n',
  'libs/text/src/page.tsx': 'export const page = 1;\n',
  'libs/testing/only.ts': 'export const only = 1;\n',
  'libs/shared/index.js': "module.exports = require('./deep/inner');\n",
  'libs/shared/deep/inner.js': 'module.exports = 1;\n',
  'libs/built/package.json': json({ name: '@shop/built', main: 'dist/index.js' }),
  'libs/built/index.js': '\n',
  'proto/order.proto': 'syntax = "proto3";\nimport "proto/money.proto";\n',
  'proto/money.proto': 'syntax = "proto3";\n',
  'proto/unused.proto': 'syntax = "proto3";\n',
  'py/rates/main.py': 'from common.money import Money\nfrom . import helper\n',
  'py/rates/helper.py': 'x = 1\n',
  'py/mails/main.py': 'import common.text as text\n',
  'py/common/__init__.py': '\n',
  'py/common/money.py': 'class Money: pass\n',
  'py/common/text.py': 'x = 1\n',
  'go/go.mod': 'module example.com/shop\n\ngo 1.22\n',
  'go/go.sum': '\n',
  'go/cmd/stock/main.go':
    'package main\n\nimport (\n\t"fmt"\n\n\t"example.com/shop/internal/units"\n)\n',
  'go/cmd/search/main.go': 'package main\n\nimport "example.com/shop/internal/index"\n',
  'go/internal/units/units.go': 'package units\n',
  'go/internal/units/units_test.go': 'package units\n',
  'go/internal/index/index.go': 'package index\n',
  'java/pom.xml':
    '<project><artifactId>shop</artifactId><modules><module>ledger</module></modules></project>\n',
  'java/ledger/pom.xml':
    '<project><parent><artifactId>shop</artifactId></parent><artifactId>ledger</artifactId><dependencies><dependency><artifactId>core</artifactId></dependency></dependencies></project>\n',
  'java/ledger/src/main/java/Ledger.java': 'class Ledger {}\n',
  'java/core/pom.xml':
    '<project><parent><artifactId>shop</artifactId></parent><artifactId>core</artifactId></project>\n',
  'java/core/src/main/java/Core.java': 'class Core {}\n',
  'java/unused/pom.xml': '<project><artifactId>unused</artifactId></project>\n',
  'rust/Cargo.toml': '[workspace]\nmembers = ["fraud", "score"]\n',
  'rust/Cargo.lock': '\n',
  'rust/fraud/Cargo.toml':
    '[package]\nname = "fraud"\n\n[dependencies]\nscore = { path = "../score" }\n',
  'rust/fraud/src/main.rs': 'fn main() {}\n',
  'rust/score/Cargo.toml': '[package]\nname = "score"\n',
  'rust/score/src/lib.rs': '\n',
  'dotnet/Tax/Tax.csproj':
    '<Project><ItemGroup><ProjectReference Include="..\\Shared\\Shared.csproj" /><Compile Include="..\\Linked\\*.cs" /></ItemGroup></Project>\n',
  'dotnet/Linked/Log.cs': 'class Log {}\n',
  'dotnet/Tax/Program.cs': 'class Program {}\n',
  'dotnet/Shared/Shared.csproj': '<Project />\n',
  'dotnet/Shared/Money.cs': 'class Money {}\n',
  'py/mails/Dockerfile': 'FROM python\nCOPY ./assets/ ./templates/\nCOPY --from=build docs /docs\n',
  'assets/mail.html': 'x\n',
  'charts/orders/values.yaml': 'replicas: 1\n',
  'docker/rates.Dockerfile': 'FROM python\n',
  'deploy/values.yaml': 'web: {replicas: 1}\nmails: {replicas: 1}\n',
  'compose.yaml': 'services:\n  stock: {image: a}\n  search: {image: a}\n',
  'docs/README.md': 'x\n',
};

const repository = new Repository(files);
afterAll(() => repository[Symbol.dispose]());

const affectedBy = async (changed: Record<string, string>): Promise<readonly string[]> => {
  const patch = repository.patch(changed);
  const { change } = await prepareChange({ patch, base: repository.base }, repository.deps);
  return change.services;
};

const edited = (file: string): Record<string, string> => ({ [file]: `${files[file]}\n` });

// proves: lanes.affected-services
describe('a change affects the services that use', () => {
  test.each<[what: string, file: string, services: string[]]>([
    ['an npm package through its entry', 'libs/money/src/amount.ts', ['web']],
    ['one file of an npm package', 'libs/money/src/rate.ts', ['orders']],
    ['an alias of TypeScript', 'libs/text/src/page.tsx', ['web']],
    ['a module through other modules', 'libs/shared/deep/inner.js', ['billing']],
    ['a module that is found by its folder', 'libs/built/index.js', ['billing']],
    ['a protobuf file', 'proto/order.proto', ['orders']],
    ['a protobuf file through another', 'proto/money.proto', ['orders']],
    ['a Python package', 'py/common/money.py', ['rates']],
    ['a Python module', 'py/common/text.py', ['mails']],
    ['the initialisation of a Python package', 'py/common/__init__.py', ['rates', 'mails']],
    ['a Go package', 'go/internal/units/units.go', ['stock']],
    ['a Go module', 'go/go.sum', ['stock', 'search']],
    ['a lock file', 'package-lock.json', ['web', 'orders', 'billing']],
    ['a Java module', 'java/core/src/main/java/Core.java', ['ledger']],
    ['the parent of a Java module', 'java/pom.xml', ['ledger']],
    ['a Rust crate', 'rust/score/src/lib.rs', ['fraud']],
    ['the lock file of Rust', 'rust/Cargo.lock', ['fraud']],
    ['a .NET project', 'dotnet/Shared/Money.cs', ['tax']],
    ['a linked file of .NET', 'dotnet/Linked/Log.cs', ['tax']],
    ['a folder that a Dockerfile copies', 'assets/mail.html', ['mails']],
    ['a Helm chart of their name', 'charts/orders/values.yaml', ['orders']],
    ['a Dockerfile of their name', 'docker/rates.Dockerfile', ['rates']],
  ])('%s', async (_, file, services) => {
    expect(await affectedBy(edited(file))).toEqual(services);
  });

  test('values of a Helm chart or compose file under their name', async () => {
    expect(
      await affectedBy({ 'deploy/values.yaml': 'web: {replicas: 1}\nmails: {replicas: 2}\n' }),
    ).toEqual(['mails']);
    expect(
      await affectedBy({
        'compose.yaml': 'services:\n  stock: {image: b}\n  search: {image: a}\n',
      }),
    ).toEqual(['stock']);
  });

  test('a file that exists only before or only after the change', async () => {
    expect(
      await affectedBy({
        'libs/new.js': 'module.exports = 1;\n',
        'libs/shared/deep/inner.js': "module.exports = require('../../new');\n",
      }),
    ).toEqual(['billing']);
  });

  test.each([
    'libs/testing/only.ts',
    'proto/unused.proto',
    'java/unused/pom.xml',
    'docs/README.md',
  ])('and none if no service uses %s', async (file) => {
    await expect(affectedBy(edited(file))).rejects.toThrow(
      'No service owns or uses one of the changed files',
    );
  });
});
