import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../tests/harness/free-ports.ts';
import { startPostgres } from '../../tests/harness/postgres/postgres.ts';
import { commit, git } from '../../tests/harness/systems/small-system.ts';
import { Workspace } from '../../tests/harness/workspace.ts';

const code = `import { createServer } from 'node:http';
createServer((request, response) => response.end('one')).listen(Number(process.env.PORT));
`;

export interface LargeSystem extends AsyncDisposable {
  readonly workspace: Workspace;
  /** On one service in the middle of it. */
  openLane(): Promise<void>;
}

/** Services in a row, each calling the next, on databases that they share by turns. */
export async function makeLargeSystem(services: number, databases: number): Promise<LargeSystem> {
  const postgres = await startPostgres();
  const urls = await Promise.all(
    Array.from({ length: databases }, (_, number) => postgres.createDatabase(`db${number}`)),
  );
  const workspace = new Workspace({ config: await configuration(services, urls) });
  for (let number = 0; number < services; number++) {
    writeFileSync(join(workspace.root, `s${number}.mjs`), code);
  }
  writeFileSync(join(workspace.root, '.gitignore'), '.surety/\n');
  git(workspace.root, 'init', '--quiet', '--initial-branch=main');
  commit(workspace.root, 'first');
  return {
    workspace,
    async openLane() {
      const file = `s${Math.floor(services / 2)}.mjs`;
      writeFileSync(join(workspace.root, file), code.replace("'one'", "'two'"));
      const patch = git(workspace.root, 'diff');
      await workspace.client().call('POST /v1/lanes', { body: { patch } });
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
      await postgres.stop();
    },
  };
}

async function configuration(services: number, urls: readonly string[]): Promise<string> {
  const lines = ['ingress: s0', 'services:'];
  for (let number = 0; number < services; number++) {
    const next = number + 1 < services ? `s${number + 1}` : null;
    lines.push(
      `  s${number}:`,
      `    command: node s${number}.mjs`,
      `    port: ${await freePort()}`,
      `    paths: [s${number}.mjs]`,
      `    stores: [db${number % urls.length}]`,
      `    dependsOn: [${next ?? ''}]`,
    );
  }
  lines.push('datastores:');
  urls.forEach((url, number) => {
    lines.push(`  db${number}: { kind: postgres, url: "${url}", variable: DATABASE_URL }`);
  });
  return `${lines.join('\n')}\n`;
}
