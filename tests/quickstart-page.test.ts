import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isDeep } from './harness/deep.ts';
import { freePorts } from './harness/free-ports.ts';
import { blocksOf, matchesPage, type PageBlock, shellOf } from './harness/page-commands.ts';
import { Workspace } from './harness/workspace.ts';

const page = readFileSync(new URL('../docs/quickstart.md', import.meta.url), 'utf8');
const [, sample = '', own = ''] = page.split(/^## /m);

type Between = (command: string) => void;

/** Types what a part of the page says, and compares what comes. */
async function follow(root: string, part: readonly PageBlock[], before: Between): Promise<void> {
  const bin = mkdtempSync(join(tmpdir(), 'surety-bin-'));
  onTestFinished(() => rmSync(bin, { recursive: true }));
  const shell = shellOf(root, bin);
  for (const block of part) {
    if (block.kind === 'file') {
      writeFileSync(join(root, block.name), block.text);
      continue;
    }
    for (const { command, expected } of block.steps) {
      before(command);
      // The workspace of the test is that folder.
      if (command === 'mkdir shop && cd shop') continue;
      const output = await shell(command);
      const isSame = matchesPage(expected, output);
      expect(isSame ? expected.join('\n') : `$ ${command}\n${output}`).toBe(expected.join('\n'));
    }
  }
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

// proves: start.quickstart
test.runIf(isDeep)(
  'the quickstart leads from an empty folder to a failed and a passed verdict',
  async () => {
    await using workspace = new Workspace();
    const { root } = workspace;
    const ports = await freePorts(['web', 'prices', 'stock']);
    await follow(root, blocksOf(sample), (command) => {
      if (command !== 'npx surety up') return;
      // Other tests may run the same sample at the same time.
      edit(join(root, 'surety.yaml'), (text) =>
        text
          .replaceAll('4400', String(ports.web))
          .replaceAll('4401', String(ports.prices))
          .replaceAll('4402', String(ports.stock)),
      );
      git(root, 'commit', '--all', '--quiet', '--message=Other ports');
    });
  },
);

// proves: start.own-repository
test.runIf(isDeep)(
  'the quickstart leads from a compose file to a verdict without an edit of surety.yaml',
  async () => {
    await using workspace = new Workspace();
    const { root } = workspace;
    const { web, stock } = await freePorts(['web', 'stock']);
    makeRepository(root, repositoryFiles(web, stock));
    await follow(root, blocksOf(own), (command) => {
      if (!command.startsWith('npx surety verify')) return;
      edit(join(root, 'stock/app.py'), (text) => text.replace('"quantity": 7', '"quantity": "7"'));
    });
  },
);

/** A Node and a Python program, both with built-in ports, as people have them in containers. */
function repositoryFiles(web: number, stock: number): Record<string, string> {
  return {
    'compose.yaml': `services:
  web: { build: ./web, ports: ["8080:${web}"], environment: { STOCK_URL: "http://stock:${stock}" }, depends_on: [stock] }
  stock: { build: ./stock }
`,
    'web/Dockerfile': `FROM node:24\nWORKDIR /app\nCOPY . .\nEXPOSE ${web}\nCMD ["node", "/app/main.mjs"]\n`,
    'web/package.json': '{"name":"web","private":true}',
    'web/main.mjs': `import { createServer } from 'node:http';
createServer(async (request, response) => {
  if (request.url === '/') return response.end('a shop');
  const answer = await fetch(process.env.STOCK_URL + request.url);
  response.setHeader('content-type', 'application/json');
  response.end(await answer.text());
}).listen(${web});
`,
    'stock/Dockerfile': `FROM python:3.12-slim\nWORKDIR /app\nCOPY . .\nEXPOSE ${stock}\nCMD ["python", "app.py"]\n`,
    'stock/app.py': `import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Stock(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"quantity": 7}).encode())

ThreadingHTTPServer(("0.0.0.0", ${stock}), Stock).serve_forever()
`,
  };
}

function makeRepository(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  git(root, 'init', '--quiet');
  git(root, 'config', 'user.name', 'Ada');
  git(root, 'config', 'user.email', 'ada@example.org');
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message=A shop');
}

function git(root: string, ...words: readonly string[]): void {
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  execFileSync('git', [...author, ...words], { cwd: root, stdio: 'ignore' });
}
