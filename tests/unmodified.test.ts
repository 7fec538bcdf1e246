import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationResponse } from '../src/http/index.ts';
import { isDeep } from './harness/deep.ts';
import { freePort } from './harness/free-ports.ts';
import { commit, git } from './harness/systems/small-system.ts';
import { Workspace } from './harness/workspace.ts';

const packages = fileURLToPath(new URL('../node_modules', import.meta.url));

/** Two servers from npm that know nothing of us, with ports on their command lines. */
describe.runIf(isDeep)('unmodified third-party programs', () => {
  let workspace: Workspace;
  const ports = { web: 0, registry: 0 };

  beforeAll(async () => {
    workspace = new Workspace();
    const { root } = workspace;
    ports.web = await freePort();
    ports.registry = await freePort();
    symlinkSync(packages, join(root, 'node_modules'));
    writeFileSync(join(root, '.gitignore'), 'node_modules\n.surety/\n');
    writeFileSync(join(root, 'db.json'), '{ "notes": [{ "id": 1, "text": "baseline" }] }\n');
    writeFileSync(join(root, 'registry.yaml'), 'storage: ./storage\npackages: { "**": {} }\n');
    const bin = 'node_modules/.bin';
    const web = `${bin}/json-server --quiet --host 127.0.0.1 --port ${ports.web} db.json`;
    const listen = `127.0.0.1:${ports.registry}`;
    const registry = `${bin}/verdaccio --config registry.yaml --listen ${listen}`;
    writeFileSync(join(root, 'Procfile'), `web: ${web}\nregistry: ${registry}\n`);
    git(root, 'init', '--quiet', '--initial-branch=main');
  });
  afterAll(async () => {
    await workspace[Symbol.asyncDispose]();
  });

  const notes = async (address: string, headers = {}): Promise<unknown> =>
    (await fetch(`${address}/notes/1`, { headers })).json();

  // proves: system.init
  test('are found by surety init, which never overwrites a file', async () => {
    const shown = await workspace.surety('init', '--print');
    expect(shown.value).toMatchObject({ file: null, services: ['web', 'registry'] });
    expect(existsSync(workspace.place.configFile)).toBe(false);
    await workspace.run('init', '--no-try');
    const text = readFileSync(workspace.place.configFile, 'utf8');
    expect(text).toContain('# Found in Procfile.');
    const again = await workspace.surety('init');
    expect([again.code, again.value.fault?.code]).toEqual([1, 'FILE_EXISTS']);
    expect(readFileSync(workspace.place.configFile, 'utf8')).toBe(text);
    // What belongs to which of the two, no file could tell.
    const [web = '', registry = ''] = text.split('# Found in Procfile.').slice(1);
    const parted = [
      web.replace(/- \.$/m, '- db.json'),
      registry.replace(/- \.$/m, '- registry.yaml'),
    ];
    writeFileSync(workspace.place.configFile, `ingress: web\nservices:${parted.join('')}`);
    commit(workspace.root, 'first');
  });

  // proves: lanes.unmodified
  test('run as services, and one of them also in a lane', async () => {
    await workspace.up();
    await workspace.run('system', 'up');
    const baseline = `http://127.0.0.1:${ports.web}`;
    expect(await notes(baseline)).toEqual({ id: 1, text: 'baseline' });
    const ping = await fetch(`http://127.0.0.1:${ports.registry}/-/ping`);
    expect(ping.status).toBe(200);

    const file = join(workspace.root, 'db.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('baseline', 'candidate'));
    const patch = git(workspace.root, 'diff');
    git(workspace.root, 'checkout', '--quiet', '--', 'db.json');
    const opened = (await workspace
      .client()
      .call('POST /v1/lanes', { body: { patch } })) as OperationResponse<'POST /v1/lanes'>;
    expect(opened.lane.candidates.map(({ service }) => service)).toEqual(['web']);
    const key = { baggage: `surety-lane=${opened.lane.lane}` };
    expect(await notes(opened.address, key)).toEqual({ id: 1, text: 'candidate' });
    expect(await notes(baseline)).toEqual({ id: 1, text: 'baseline' });
    const reached = await workspace.surety('lane', 'reach', opened.lane.lane);
    expect(reached.value).toMatchObject({ reach: { proven: true } });
    await workspace.run('lane', 'close', opened.lane.lane);
    expect(await notes(baseline)).toEqual({ id: 1, text: 'baseline' });
  });
});
