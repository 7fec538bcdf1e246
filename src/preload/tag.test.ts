import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { preloadFile, tagEnvironment } from './index.ts';
import { serviceNodes } from './old-node.fixture.ts';
import { runTagged } from './script.fixture.ts';

const everythingWeTouch = `
  const http = require('node:http');
  const https = require('node:https');
  const touched = [
    http.request, http.get, https.request, https.get, require('node:events').init,
    http.Server.prototype.emit, https.Server.prototype.emit, net.Socket.prototype.connect,
    tls.connect, net.Server.prototype.listen,
  ];
  show(touched.map(String));`;

describe.each(serviceNodes)('the preload on %s', (node) => {
  test('does nothing at all without a router', async () => {
    const bare = await runTagged(node, everythingWeTouch, { NODE_OPTIONS: '' });
    const idle = { SURETY_ROUTER: '', SURETY_LISTEN_PORT: '1', SURETY_REUSE_PORT: '1' };
    expect(await runTagged(node, everythingWeTouch, idle)).toEqual(bare);
    const tagged = await runTagged(node, everythingWeTouch, { SURETY_LISTEN_PORT: '1' });
    expect(tagged.filter((text, index) => text === bare[index])).toEqual([]);
  });

  test('is not applied twice', async () => {
    const { NODE_OPTIONS = '' } = tagEnvironment({ service: '', instance: '', router: '' });
    const script = `
      delete require.cache[${JSON.stringify(preloadFile)}];
      const { request } = require('node:http');
      require(${JSON.stringify(preloadFile)});
      show([request === require('node:http').request]);`;
    const twice = { NODE_OPTIONS: `${NODE_OPTIONS} ${NODE_OPTIONS}` };
    expect(await runTagged(node, script, twice)).toEqual([true]);
  });

  test('affects modules that imported a function by name before it was loaded', async () => {
    const script = `
      import { createRequire } from 'node:module';
      import { request } from 'node:http';
      const before = request;
      createRequire('/')(${JSON.stringify(preloadFile)});
      process.stdout.write(String(before === request));`;
    const command = ['--input-type=module', '-e', script];
    const env = { SURETY_ROUTER: '127.0.0.1:1' };
    const { stdout } = await promisify(execFile)(node, command, { env });
    expect(stdout).toBe('false');
  });

  test.each(['nonsense', '127.0.0.1', 'http://127.0.0.1:80'])(
    'does not start a service whose router is %s',
    async (router) => {
      const started = runTagged(node, 'show([])', { SURETY_ROUTER: router });
      await expect(started).rejects.toThrow('SURETY_ROUTER must be host:port');
    },
  );
});

test('keeps the own options of a service, after those of Surety', async () => {
  const tag = { service: 'a', instance: 'i', router: '127.0.0.1:1' };
  const { NODE_OPTIONS = '' } = tagEnvironment({
    ...tag,
    nodeOptions: '--max-http-header-size=9999',
  });
  expect(NODE_OPTIONS).toBe(`--require "${preloadFile}" --max-http-header-size=9999`);
  const script = `show([require('node:http').maxHeaderSize])`;
  expect(await runTagged(process.execPath, script, { NODE_OPTIONS })).toEqual([9999]);
});
