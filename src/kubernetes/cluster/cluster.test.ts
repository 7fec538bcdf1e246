import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { whenTestEnds } from '../../../tests/harness/when-test-ends.ts';
import { connectCluster } from './cluster.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const kubeconfig = {
  'current-context': 'staging',
  contexts: [{ name: 'staging', context: { cluster: 'staging', user: 'me' } }],
  clusters: [{ name: 'staging', cluster: { server: 'https://127.0.0.1:6443' } }],
  users: [{ name: 'me', user: {} }],
};

/** A home directory of its own, so that no kubeconfig of the machine counts. */
function useHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'surety-kubeconfig-'));
  whenTestEnds(() => rmSync(home, { recursive: true }));
  vi.stubEnv('HOME', home);
  vi.stubEnv('KUBECONFIG', '');
  return home;
}

function useKubeconfig(): void {
  const file = join(useHome(), 'config');
  writeFileSync(file, JSON.stringify(kubeconfig));
  vi.stubEnv('KUBECONFIG', file);
}

test('without a kubeconfig there is no cluster to wait for', async () => {
  useHome();
  await expect(connectCluster(undefined)).rejects.toMatchObject({
    code: 'KUBERNETES_NO_CLUSTER',
    message: expect.stringContaining('neither KUBECONFIG nor ~/.kube/config names one'),
  });
});

test('a context that the kubeconfig does not have is refused', async () => {
  useKubeconfig();
  await expect(connectCluster('production')).rejects.toMatchObject({
    code: 'KUBERNETES_NO_CLUSTER',
    message: expect.stringContaining('no context "production"'),
  });
});

test.each([undefined, 'staging'])(
  'context %s of a kubeconfig names its server',
  async (context) => {
    useKubeconfig();
    expect((await connectCluster(context)).server).toBe('https://127.0.0.1:6443');
  },
);
