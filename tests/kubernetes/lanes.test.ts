import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../src/kubernetes/cluster/cluster.ts';
import { laneLabel } from '../../src/kubernetes/objects/lane-labels.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspace.ts';
import { hasCluster, namesOf, openCluster, runsPods } from './fixtures/cluster.ts';
import { addressOf, deployShop, openShop, patchOf } from './fixtures/shop.ts';

describe.skipIf(!hasCluster)('a change of a system in a cluster', () => {
  const namespace = `built-${process.pid}`;
  let cluster: Cluster;
  let workspace: Workspace;

  beforeAll(async () => {
    cluster = await openCluster();
    workspace = openShop(namespace, 'echo disk full; exit 3');
    await deployShop(workspace, namespace, cluster);
    await workspace.up();
  });
  afterAll(() => workspace?.[Symbol.asyncDispose]());

  test('is found out by check: what is there, and what is not ready', async () => {
    const { value } = await workspace.surety('kubernetes', 'check');
    expect(value).toMatchObject({ ok: true });
    const { checks } = value as { checks: { name: string }[] };
    expect(checks.map(({ name }) => name)).toEqual(['cluster', 'rights', 'web', 'prices', 'stock']);
  });

  test('opens no lane if its image cannot be built, and says why and what to do', async () => {
    const patch = patchOf(workspace, 'prices/main.mjs', (text) => text.replace('250', '260'));
    const { code, value } = await workspace.surety('lane', 'open', patch);
    expect(code).not.toBe(0);
    expect(value.fault).toMatchObject({
      code: 'SERVICE_UNHEALTHY',
      message: expect.stringMatching(/prices.*The image of prices could not be built.*code 3/s),
      remedy: expect.stringContaining('Fix the cause and try again'),
      details: { service: 'prices', kind: 'KUBERNETES_BUILD_FAILED', lines: ['disk full'] },
    });
    await until('nothing of its lanes is left', async () => {
      const left = await namesOf(cluster, 'deployments', namespace, {
        'app.kubernetes.io/managed-by': 'surety',
      });
      return left.length === 0;
    });
  });
});

describe.skipIf(!runsPods)('a change verified on pods', () => {
  const namespace = `shop-lanes-${process.pid}`;
  let cluster: Cluster;
  let workspace: Workspace;

  beforeAll(async () => {
    cluster = await openCluster();
    workspace = openShop(namespace);
    await deployShop(workspace, namespace, cluster);
    await workspace.up();
  });
  afterAll(() => workspace?.[Symbol.asyncDispose]());

  // proves: kubernetes.verdict
  test('fails with the same command and finding as on one machine', async () => {
    const { code, value } = await workspace.surety(
      'verify',
      `${workspace.root}/changes/price-as-text.patch`,
    );
    expect(code).toBe(1);
    expect(value).toMatchObject({ verdict: 'fail' });
    expect(JSON.stringify(value)).toContain('cents');
  });

  test('passes when only the inside changed, and leaves no pod behind', async () => {
    const { value } = await workspace.surety(
      'verify',
      `${workspace.root}/changes/price-table.patch`,
    );
    expect(value).toMatchObject({ verdict: 'pass' });
    await until('no pod of a lane is left', async () => {
      const pods = await namesOf(cluster, 'pods', namespace);
      return pods.every((name) => !name.startsWith('surety-'));
    });
  });

  test('fails with OOMKilled and a remedy when the manifest gives it too little memory', async () => {
    const patch = patchOf(workspace, 'k8s/prices.yaml', (text) =>
      text.replaceAll('256Mi', '12Mi').replaceAll('64Mi', '12Mi'),
    );
    const { code, value } = await workspace.surety('verify', patch);
    expect(code).toBe(1);
    const text = JSON.stringify(value);
    expect(text).toContain('OOMKilled');
    expect(text).toContain('resources.limits.memory');
  });

  test('has a candidate that no Service of the baseline sends requests to', async () => {
    const patch = patchOf(workspace, 'prices/main.mjs', (text) => text.replace('250', '999'));
    const opened = (await workspace.run('lane', 'open', patch)) as unknown as {
      lane: { lane: string };
    };
    const { lane } = opened.lane;
    const answers = new Set<string>();
    for (let sent = 0; sent < 20; sent++) {
      answers.add(
        await (await fetch(`http://${addressOf('prices', namespace)}:4401/prices/pen`)).text(),
      );
    }
    expect([...answers]).toEqual(['{"sku":"pen","cents":250}']);
    await workspace.run('lane', 'close', lane);
    expect(await namesOf(cluster, 'pods', namespace, { [laneLabel]: lane })).toEqual([]);
  });
});
